package payload

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// randomCuts edits a text of ASCII letters at random places, empty ones and
// deletions included.
func randomCuts(r *rand.Rand, text string) (edits []Edit, after string) {
	at := 0
	for at <= len(text) && len(edits) < 6 {
		start := at + r.IntN(4)
		end := start + r.IntN(4)
		if end > len(text) {
			break
		}
		e := Edit{Start: start, End: end, With: strings.Repeat(string(rune('A'+r.IntN(26))), r.IntN(4))}
		if e.Start == e.End && e.With == "" {
			at++
			continue
		}
		edits = append(edits, e)
		at = end
		if r.IntN(2) == 0 {
			at++
		}
	}
	pos := 0
	for _, e := range edits {
		after += text[pos:e.Start] + e.With
		pos = e.End
	}
	return edits, after + text[pos:]
}

func TestEditsOfEditsBecomeEditsOfTheBody(t *testing.T) {
	for seed := range uint64(5000) {
		r := rand.New(rand.NewPCG(seed, 9))
		body := "abcdefghijklmnopqrstuvwxyz"[:r.IntN(20)]
		p := &Payload{Raw: []byte(body), Segments: []Segment{{Span: splice.Span{End: len(body)}}}}
		want := body
		for range 1 + r.IntN(4) {
			var edits []Edit
			edits, want = randomCuts(r, want)
			if len(edits) == 0 {
				continue
			}
			p.Apply(edits)
			require.Equal(t, want, p.ReadText(0), "seed %d", seed)
			last := 0
			for _, e := range p.edits.listEdits(p.edits.segments[0]) {
				require.GreaterOrEqual(t, e.Start, last, "seed %d: in order", seed)
				require.GreaterOrEqual(t, e.End, e.Start, "seed %d", seed)
				last = e.End
			}
			require.LessOrEqual(t, last, len(body), "seed %d", seed)
		}
		require.NoError(t, p.Flush())
		require.Equal(t, want, string(p.Raw), "seed %d", seed)
		require.Equal(t, want, p.ReadText(0))
		require.Equal(t, len(want), p.Segments[0].Span.End)
		if len(want) > 0 { // nothing is left of the edits of an earlier phase
			p.Apply([]Edit{{Start: 0, End: 1, With: "?"}})
			require.NoError(t, p.Flush())
			require.Equal(t, "?"+want[1:], string(p.Raw), "seed %d", seed)
		}
	}
}
