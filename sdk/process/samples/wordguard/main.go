// Wordguard is a plugin that looks for words: it redacts some, and refuses exchanges
// that hold others.
//
//	chain:
//	  - process: wordguard
//	    sha256: …
//	    grant: {text: [user, assistant]}
//	    config: {redact: [PROJECT-APOLLO], block: [FORBIDDEN]}
package main

import (
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/process"
)

func main() { process.Serve(new(guard)) }

// guard is the stage. Its settings are its fields.
type guard struct {
	Redact []string `json:"redact"`
	Block  []string `json:"block"`
}

// Manifest says what the guard wants to see: texts, and nothing of who has written them.
func (g *guard) Manifest() process.Manifest {
	return process.Manifest{
		Name: "wordguard", Version: "1.0.0", Texts: []string{"user", "assistant", "tool_args", "tool_result"},
		StreamBytes: 64, // some ten words: a call for each single one would be waste
	}
}

// Configure takes the link's config block.
func (g *guard) Configure(config []byte) error {
	if config != nil {
		if err := json.Unmarshal(config, g); err != nil {
			return fmt.Errorf("config: %w", err)
		}
	}
	if len(g.Redact)+len(g.Block) == 0 || slices.Contains(g.Redact, "") || slices.Contains(g.Block, "") {
		return errors.New("config: write words under redact or block")
	}
	return nil
}

// match is a word at its place.
type match struct {
	start, end int
	block      bool
}

// find gives the words that begin in [from, to), one after the other. Where two begin
// at one place the longer counts.
func (g *guard) find(text string, from, to int) (out []match) {
	for at := from; at < to; {
		best := match{start: at}
		for i, list := range [][]string{g.Redact, g.Block} {
			for _, w := range list {
				if len(w) > best.end-best.start && strings.HasPrefix(text[at:], w) {
					best = match{at, at + len(w), i == 1}
				}
			}
		}
		if best.end == 0 {
			at++
			continue
		}
		out = append(out, best)
		at = best.end
	}
	return out
}

// fillVerdict says what is to be done about matches in a segment.
func fillVerdict(v *core.Verdict, segment int, found []match) {
	for _, m := range found {
		label := "word"
		if m.block {
			label = "forbidden"
			v.Action, v.Edits = core.Block, nil
			v.Err = &core.Error{Kind: core.ContentFiltered, Public: "this is not talked about here"}
		}
		v.Findings = append(
			v.Findings,
			core.Finding{Label: label, Kind: core.FoundDetector, Segment: segment, Start: m.start, End: m.end, Score: 1},
		)
		if v.Action != core.Block {
			v.Action = core.Rewrite
			v.Edits = append(v.Edits, core.Edit{Segment: segment, Start: m.start, End: m.end, Type: "WORD"})
		}
	}
}

// Check looks at a whole request or answer.
func (g *guard) Check(_ context.Context, x *core.Exchange, p core.Phase, _ any) (core.Verdict, error) {
	body := &x.Request
	if p == core.Response {
		body = &x.Response
	}
	v := core.Verdict{Action: core.Pass}
	for i := range body.Segments {
		text := body.ReadText(i)
		fillVerdict(&v, i, g.find(text, 0, len(text)))
	}
	return v, nil
}

// Stream looks at an answer while it comes.
func (g *guard) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return filter{g}, nil
}

type filter struct{ g *guard }

// Check decides about the text up to the last place where a word may have begun that
// does not end yet, and has the rest wait.
func (f filter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v, known := core.Verdict{Action: core.Pass}, len(w.Text)
	found := f.g.find(w.Text, w.Sent, known)
	if !w.Last {
		known = f.findHoldStart(w.Text, w.Sent, found)
		for len(found) > 0 && found[len(found)-1].end > known {
			found = found[:len(found)-1]
		}
	}
	fillVerdict(&v, 0, found)
	return v, len(w.Text) - known, nil
}

// findHoldStart returns where the first word begins that more text could complete, or make a
// longer one of.
func (f filter) findHoldStart(text string, from int, found []match) int {
	for at := from; at < len(text); at++ {
		for _, list := range [][]string{f.g.Redact, f.g.Block} {
			for _, w := range list {
				if len(w) > len(text)-at && strings.HasPrefix(w, text[at:]) {
					return at
				}
			}
		}
		for _, m := range found {
			if m.start == at && m.end < len(text) { // it is decided; go on behind it
				at = m.end - 1
			}
		}
	}
	return len(text)
}

// Close has nothing to let go of.
func (filter) Close(context.Context) error { return nil }
