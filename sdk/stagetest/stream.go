package stagetest

import (
	"context"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// contextBytes is the minimum of sent text that the chain repeats as context.
const contextBytes = 96

// maxHold is how much a filter may hold back, in bytes.
const maxHold = 64 << 10

// maxWithheld is how many bytes a filter may hold back if it withholds the whole answer.
const maxWithheld = 8 << 20

// Streamed passes the pieces of a text to the stage's filter in order,
// as the chain does, and checks each verdict. The last piece ends the text.
func Streamed(t testing.TB, s core.StreamStage, text Text, pieces []string) Outcome {
	t.Helper()
	ctx := context.Background()
	text.Phase = core.Response
	text.Text = ""
	f, err := s.Stream(ctx, text.Exchange(), nil)
	require.NoError(t, err)
	if f == nil {
		return Outcome{Action: core.Pass, Text: strings.Join(pieces, "")}
	}
	defer func() { require.NoError(t, f.Close(ctx)) }()
	if text.Kind == 0 {
		text.Kind = core.KindText
	}
	p := &partFeed{t: t, f: f, part: core.Part{Kind: text.Kind}, pieces: pieces}
	for p.showNext(ctx) {
	}
	return p.buildOutcome()
}

// partFeed is a part that a filter receives piece by piece.
type partFeed struct {
	t      testing.TB
	f      core.StreamFilter
	part   core.Part
	pieces []string
	at     int
	buf    string
	sent   int
	text   strings.Builder // let through
	out    Outcome
	over   bool
}

// showNext shows the next piece, and reports whether there was one.
func (p *partFeed) showNext(ctx context.Context) bool {
	t := p.t
	t.Helper()
	if p.at == 0 {
		p.out.Action = core.Pass
	}
	if p.over || p.at == len(p.pieces) {
		return false
	}
	w := core.Window{Part: p.part, Text: p.buf + p.pieces[p.at], Sent: p.sent, New: len(p.buf), Last: p.at == len(p.pieces)-1}
	p.at++
	p.buf = w.Text
	v, hold, err := p.f.Check(ctx, w)
	require.NoError(t, err)
	checkVerdict(t, v)
	for _, f := range v.Findings {
		require.True(t, 0 <= f.Start && f.Start <= f.End && f.End <= len(w.Text), "a finding lies in the window")
	}
	p.out.Labels = append(p.out.Labels, listLabels(v.Findings)...)
	if v.Action == core.Block || v.Action == core.Retry {
		p.out.Action, p.out.Err, p.over = v.Action, v.Err, true
		return false
	}
	require.NotEqual(t, core.Answer, v.Action, "a filter cannot answer")
	known := len(p.buf) - hold
	require.True(t, 0 <= hold && hold <= p.findHoldLimit() && known >= p.sent, "the filter holds what it may hold")
	require.True(t, isBoundary(p.buf, known), "the filter holds whole characters")
	if w.Last {
		require.Zero(t, hold, "at the end nothing is held")
	}
	if v.Action == core.Rewrite && len(v.Edits) > 0 {
		p.out.Action = core.Rewrite
		for _, e := range v.Edits {
			require.Zero(t, e.Segment, "an edit of a window leaves the segment at 0")
		}
		p.text.WriteString(applyEdits(t, p.buf, v.Edits, p.sent, known))
	} else {
		p.text.WriteString(p.buf[p.sent:known])
	}
	if p.sent = known; p.sent >= 8*contextBytes {
		cut := p.sent - contextBytes
		for cut < p.sent && !utf8.RuneStart(p.buf[cut]) {
			cut++
		}
		p.buf, p.sent = p.buf[cut:], p.sent-cut
	}
	return p.at < len(p.pieces)
}

// findHoldLimit returns how many bytes the filter may hold back.
func (p *partFeed) findHoldLimit() int {
	if w, ok := p.f.(core.Withholder); ok && w.Withholds() {
		return maxWithheld
	}
	return maxHold
}

// buildOutcome returns the result of the part.
func (p *partFeed) buildOutcome() Outcome {
	o := p.out
	o.Text = p.text.String()
	o.Labels = slices.Clone(o.Labels)
	slices.Sort(o.Labels)
	return o
}

// Chop splits a text between characters, on average every n bytes.
func Chop(r *rand.Rand, text string, n int) (pieces []string) {
	from := 0
	for i := range text {
		if i > from && r.IntN(n) == 0 {
			pieces = append(pieces, text[from:i])
			from = i
		}
	}
	return append(pieces, text[from:])
}
