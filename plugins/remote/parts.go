package remote

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

// text is one run of the body and its findings.
type text struct {
	run     core.Run
	settler settler

	part  *recall.Part // where its findings are remembered; nil if they are not
	key   recall.Run
	known bool // the settler has its findings already
}

// part is a window of a text.
type part struct {
	Piece
	text *text
	at   int // where it begins in its text
}

// appendWindows appends the windows of a text.
func (s *Stage) appendWindows(parts []part, body *core.Payload, t *text, w windows) []part {
	seg, path := &body.Segments[t.run.First], ""
	for at := 0; ; {
		end, _ := w.findEnd(t.run.Text, at, true)
		if path == "" {
			path = seg.Path()
		}
		parts = append(parts, part{Piece: Piece{seg.Role, seg.Kind, path, t.run.Text[at:end], at > 0}, text: t, at: at})
		if end == len(t.run.Text) {
			return parts
		}
		at = w.findNextStart(t.run.Text, at, end)
	}
}

// countBatch returns how many of the parts fit into one call.
func (s *Stage) countBatch(parts []part) int {
	n, bytes := 0, 0
	for n < len(parts) && n < s.o.Texts && (n == 0 || bytes+len(parts[n].Piece.Text) <= s.o.Bytes) {
		bytes += len(parts[n].Piece.Text)
		n++
	}
	return n
}

// listPieces returns the pieces of a question for parts.
func listPieces(parts []part) []Piece {
	out := make([]Piece, len(parts))
	for i := range parts {
		out[i] = parts[i].Piece
	}
	return out
}

// listOpenFindings returns the unsettled findings of all texts.
func listOpenFindings(body *core.Payload, texts []text) (out []core.Finding) {
	for i := range texts {
		for _, f := range texts[i].settler.open {
			out = append(out, locateFinding(body, texts[i].run, f))
		}
	}
	return out
}

// listBlocking returns the findings to report of a block. A guard that may be remembered reports the first text that it blocks: which
// texts it judges in the same call depends on what is remembered.
func (s *Stage) listBlocking(body *core.Payload, texts []text) []core.Finding {
	for i := range texts {
		if s.o.Remember > 0 && slices.ContainsFunc(texts[i].settler.open, func(f found) bool { return !f.redact }) {
			return listOpenFindings(body, texts[:i+1])
		}
	}
	return listOpenFindings(body, texts)
}

// locateFinding returns a finding with its position in the segment in which it begins.
func locateFinding(body *core.Payload, run core.Run, f found) core.Finding {
	base := 0
	for j := run.First; j < run.First+run.N; j++ {
		n := len(body.ReadText(j))
		if f.Start < base+n || j == run.First+run.N-1 {
			return core.Finding{Label: f.Label, Segment: j, Start: f.Start - base, End: min(f.End-base, n), Score: f.Score}
		}
		base += n
	}
	return core.Finding{Label: f.Label, Segment: run.First, Score: f.Score}
}
