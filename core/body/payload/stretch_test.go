package payload

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// buildStretch returns a payload with a segment for each text: before it, "+" joins it to the one before, and "/" puts it in
// the same message.
func buildStretch(lead string, texts ...string) *Payload {
	p := &Payload{Raw: []byte(lead)}
	message := int32(-1)
	for _, text := range texts {
		joined, same := strings.HasPrefix(text, "+"), strings.HasPrefix(text, "/")
		if !joined && !same {
			message++
		}
		text = strings.TrimLeft(text, "+/")
		start := len(p.Raw)
		p.Raw = append(p.Raw, text...)
		p.Segments = append(p.Segments, Segment{Depth: 1, Message: message, Joined: joined, Span: splice.Span{Start: start, End: len(p.Raw)}})
		p.Raw = append(p.Raw, '"')
	}
	return p
}

func TestStretchesAreEqualIfTheirTextsAre(t *testing.T) {
	long := strings.Repeat("long ", 20)
	changed := func(change func(*Segment)) *Payload {
		p := buildStretch("", "ab", "c", long)
		change(&p.Segments[1])
		return p
	}
	bodies := map[string]*Payload{
		"two short texts and a long one":         buildStretch("", "ab", "c", long),
		"cut at another place":                   buildStretch("", "a", "bc", long),
		"joined":                                 buildStretch("", "ab", "+c", long),
		"in one message":                         buildStretch("", "ab", "/c", long),
		"one short text":                         buildStretch("", "abc", long),
		"a short text more":                      buildStretch("", "ab", "c", "", long),
		"the long text first":                    buildStretch("", long, "ab", "c"),
		"a text as long as a sum":                buildStretch("", "0123456789abcdef", long),
		"a message of the length of short ones":  buildStretch("", strings.Repeat("x", shortStretch-1)),
		"a message of the length of longer ones": buildStretch("", strings.Repeat("x", shortStretch)),
		"another role":                           changed(func(s *Segment) { s.Role++ }),
		"another kind":                           changed(func(s *Segment) { s.Kind++ }),
		"another depth":                          changed(func(s *Segment) { s.Depth++ }),
	}
	h := new(testHasher)
	last := map[string]string{}
	for name, p := range bodies {
		list := p.ListStretches(h)
		end := list[len(list)-1]
		assert.Equal(t, len(p.Segments), end.End)
		sum := fmt.Sprint(end.Sum)
		assert.Empty(t, last[sum], "%s has the sum of another", name)
		last[sum] = name
	}
	again := buildStretch(`{"elsewhere": true, "in": "another body"}`, "ab", "c", long)
	assert.Equal(t, bodies["two short texts and a long one"].ListStretches(h)[2].Sum, again.ListStretches(h)[2].Sum, "wherever the texts stand")
}

func TestAStretchHasTheSizeOfItsTexts(t *testing.T) {
	p := buildStretch("", "ab", "/c", strings.Repeat("x", 100))
	list := p.ListStretches(new(testHasher))
	assert.Len(t, list, 2)
	assert.Equal(t, 3, list[0].Size)
	assert.Equal(t, 103, list[1].Size)
}

// The texts themselves are the oracle: stretches with one sum have the same ones, however links have edited them.
func TestTheSumOfAStretchFollowsFromTheBodyAndItsEdits(t *testing.T) {
	texts := []string{"a", "bc", strings.Repeat("x", 60), strings.Repeat("y", 200), `\n`}
	of, equal := map[Sum]string{}, 0
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 9))
		chosen := make([]string, 1+r.IntN(5))
		for k := range chosen {
			chosen[k] = []string{"", "", "+", "/"}[r.IntN(4)] + texts[r.IntN(len(texts))]
		}
		p, h := buildStretch(strings.Repeat(" ", r.IntN(3)), chosen...), new(testHasher)
		check := func() {
			for _, s := range p.ListStretches(h) {
				says := ""
				for i := s.First; i < s.End; i++ {
					g := &p.Segments[i]
					says += fmt.Sprintf("%q %t %d ", p.ReadText(i), g.Joined, g.Message-p.Segments[s.First].Message)
				}
				if known, ok := of[s.Sum]; ok {
					equal++
					require.Equal(t, known, says, "seed %d", seed)
				}
				of[s.Sum] = says
			}
		}
		if r.IntN(2) == 0 {
			check()
		}
		for range r.IntN(3) {
			if i := r.IntN(len(p.Segments)); len(p.ReadText(i)) > 0 {
				p.Apply([]Edit{{Segment: i, Start: 0, End: r.IntN(2) * len(p.ReadText(i)), With: "a"[:r.IntN(2)]}})
			}
			check()
		}
		require.NoError(t, p.Flush())
		check()
	}
	assert.Greater(t, equal, 2000)
}

func TestAHistoryIsNotReadAgainOnceItIsEdited(t *testing.T) {
	texts := make([]string, 40)
	for i := range texts {
		texts[i] = fmt.Sprint(i, strings.Repeat(" some text", 200))
	}
	p, h := buildStretch("", texts...), new(testHasher)
	p.ListStretches(h)
	p.Apply([]Edit{{Segment: 0, Start: 0, End: 1, With: "any"}})
	h.bytes = 0
	p.ListStretches(h)
	assert.Less(t, h.bytes, 1000)
}
