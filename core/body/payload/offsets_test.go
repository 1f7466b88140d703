package payload

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/offset"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// fixedOffsets finds the same offsets in any document.
type fixedOffsets []offset.Number

func (f fixedOffsets) AppendOffsets(dst []offset.Number, _ []byte) []offset.Number {
	return append(dst, f...)
}

// twoTexts is a body of two texts with an escape each and a number, and numbers that point at it in turn into both texts.
func twoTexts(number string, times int) *Payload {
	text := `a\nb ` + strings.Repeat("long ", 2000) + `card`
	raw := `"` + text + `","` + text + `",` + number
	first, second := splice.Span{Start: 1, End: 1 + len(text)}, splice.Span{Start: 4 + len(text), End: 4 + 2*len(text)}
	at := splice.Span{Start: len(raw) - len(number), End: len(raw)}
	var numbers fixedOffsets
	for i := range times {
		into := first
		if i%2 == 1 {
			into = second
		}
		numbers = append(numbers, offset.Number{At: at, Text: into})
	}
	p := &Payload{Raw: []byte(raw), Segments: []Segment{{Span: first, Depth: 1}, {Span: second, Depth: 1}}, Offsets: numbers}
	end := len(p.ReadText(0))
	p.Apply([]Edit{{Segment: 0, Start: end - 4, End: end, With: "TOKEN"}, {Segment: 1, Start: 0, End: 1, With: "AAA"}})
	return p
}

func TestEachTextIsMeasuredOnceForItsOffsets(t *testing.T) {
	few, many := twoTexts("0", 2), twoTexts("0", 2000)
	measure := func(p *Payload) float64 {
		return testing.AllocsPerRun(5, func() { require.Empty(t, p.cutOffsets(nil)) })
	}
	// A text with escapes is decoded into a new slice each time that it is measured.
	assert.Less(t, measure(many), measure(few)+40)
}

func TestAnOffsetMovesWithTheEditsOfItsOwnText(t *testing.T) {
	p := twoTexts("10", 2) // the first text is edited behind it, the second before it
	cuts := p.cutOffsets(nil)
	require.Len(t, cuts, 1)
	assert.Equal(t, "12", cuts[0].With)
}
