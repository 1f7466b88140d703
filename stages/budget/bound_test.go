package budget

import (
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// randomPrompt returns a prompt of several kinds of text, escaped as in bodies.
func randomPrompt(r *rand.Rand) *core.Exchange {
	units := []string{"The invoice of May is 14500 in all. ", `\n\t\tif err != nil {`, "1234567", "日本語です。", `é\\n`, "    ", "== ", "x", `\u00e9`, "don't "}
	x := &core.Exchange{}
	x.Head.Messages = 1 + r.IntN(5)
	for range x.Head.Messages {
		text := strings.Repeat(units[r.IntN(len(units))]+units[r.IntN(len(units))], r.IntN(200))
		at := len(x.Request.Raw)
		x.Request.Raw = append(append(x.Request.Raw, text...), '"')
		s := core.Segment{Kind: core.KindText, Depth: 1}
		s.Span.Start, s.Span.End = at, at+len(text)
		x.Request.Segments = append(x.Request.Segments, s)
	}
	return x
}

func TestAPromptThatFitsByItsBoundFitsByItsCount(t *testing.T) {
	r := rand.New(rand.NewPCG(3, 5))
	fits := 0
	bare, remembering := new(Stage), new(Stage)
	remembering.SetMemory(chain.NewMemory(1 << 20))
	for k := range 300 {
		x := randomPrompt(r)
		n := bare.countPromptTokens(x)
		s := bare
		if k%2 == 1 {
			s = remembering
			assert.Equal(t, n, s.countPromptTokens(x), "counted")
			assert.Equal(t, n, s.countPromptTokens(x), "remembered")
			if !slices.ContainsFunc(x.Request.Segments, func(s core.Segment) bool { return s.Span.Len() < 48 }) { // shorter ones are not remembered
				assert.True(t, s.promptFits(x, n), "a remembered count is as good as a new one")
			}
		}
		for _, most := range []int64{n - 1, n, n + n/4, 2 * n, 3 * n, int64(len(x.Request.Raw)) + 100} {
			if s.promptFits(x, most) {
				fits++
				assert.LessOrEqual(t, n, most)
			}
		}
	}
	assert.Greater(t, fits, 500, "the bound decides in most cases")
}

func TestABoundThatWasReadToItsEndIsRemembered(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 11))
	memory := chain.NewMemory(1 << 20)
	bare, remembering := new(Stage), new(Stage)
	remembering.SetMemory(memory)
	for range 200 {
		x := randomPrompt(r)
		size := int64(len(x.Request.Raw))
		for _, most := range []int64{0, size / 4, size / 2, size * 3 / 4, size} {
			want := bare.promptFits(x, most)
			assert.Equal(t, want, remembering.promptFits(x, most), "%d of %d", most, size)
			assert.Equal(t, want, remembering.promptFits(x, most), "%d of %d, once more", most, size)
		}
	}
	assert.Positive(t, memory.Use().Hits)
}
