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

// contextBytes is how much text that was sent the chain shows again at least.
const contextBytes = 96

// maxHold is how much a filter may hold back, in bytes.
const maxHold = 64 << 10

// maxWithheld is how much one may hold that has the whole answer wait.
const maxWithheld = 8 << 20

// Streamed shows the pieces of a text to the stage's filter one after the other,
// as the chain does, and checks each verdict. The last piece ends the text.
func Streamed(t testing.TB, s core.StreamStage, text Text, pieces []string) Outcome {
	t.Helper()
	ctx := context.Background()
	o := Outcome{Action: core.Pass}
	text.Phase = core.Response
	text.Text = ""
	f, err := s.Stream(ctx, text.Exchange(), nil)
	require.NoError(t, err)
	if f == nil {
		o.Text = strings.Join(pieces, "")
		return o
	}
	defer func() { require.NoError(t, f.Close(ctx)) }()
	if text.Kind == 0 {
		text.Kind = core.KindText
	}
	var out strings.Builder
	buf, sent, most := "", 0, maxHold
	if w, ok := f.(core.Withholder); ok && w.Withholds() {
		most = maxWithheld
	}
	for k, piece := range pieces {
		w := core.Window{Part: core.Part{Kind: text.Kind}, Text: buf + piece, Sent: sent, New: len(buf), Last: k == len(pieces)-1}
		buf = w.Text
		v, hold, err := f.Check(ctx, w)
		require.NoError(t, err)
		checkVerdict(t, v)
		o.Labels = append(o.Labels, labels(v.Findings)...)
		if v.Action == core.Block || v.Action == core.Retry {
			o.Action, o.Err = v.Action, v.Err
			break
		}
		require.NotEqual(t, core.Answer, v.Action, "a filter cannot answer")
		known := len(buf) - hold
		require.True(t, 0 <= hold && hold <= most && known >= sent, "the filter holds what it may hold")
		require.True(t, boundary(buf, known), "the filter holds whole characters")
		if w.Last {
			require.Zero(t, hold, "at the end nothing is held")
		}
		if v.Action == core.Rewrite && len(v.Edits) > 0 {
			o.Action = core.Rewrite
			out.WriteString(apply(t, buf, v.Edits, sent, known))
		} else {
			out.WriteString(buf[sent:known])
		}
		if sent = known; sent >= 8*contextBytes {
			cut := sent - contextBytes
			for cut < sent && !utf8.RuneStart(buf[cut]) {
				cut++
			}
			buf, sent = buf[cut:], sent-cut
		}
	}
	o.Text = out.String()
	slices.Sort(o.Labels)
	return o
}

// Chop cuts a text between characters, on average every n bytes.
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
