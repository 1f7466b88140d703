package payload

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// stretched returns a payload with a segment for each text: before it, "+" joins it to the one before, and "/" puts it in
// the same message.
func stretched(lead string, texts ...string) *Payload {
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
	}
	return p
}

func TestStretchesAreEqualIfTheirTextsAre(t *testing.T) {
	long := strings.Repeat("long ", 20)
	changed := func(change func(*Segment)) *Payload {
		p := stretched("", "ab", "c", long)
		change(&p.Segments[1])
		return p
	}
	bodies := map[string]*Payload{
		"two short texts and a long one":      stretched("", "ab", "c", long),
		"cut at another place":                stretched("", "a", "bc", long),
		"joined":                              stretched("", "ab", "+c", long),
		"in one message":                      stretched("", "ab", "/c", long),
		"one short text":                      stretched("", "abc", long),
		"a short text more":                   stretched("", "ab", "c", "", long),
		"the long text first":                 stretched("", long, "ab", "c"),
		"a text as long as a sum":             stretched("", "0123456789abcdef", long),
		"a text of the length of short ones":  stretched("", strings.Repeat("x", shortText-1)),
		"a text of the length of longer ones": stretched("", strings.Repeat("x", shortText)),
		"another role":                        changed(func(s *Segment) { s.Role++ }),
		"another kind":                        changed(func(s *Segment) { s.Kind++ }),
		"another depth":                       changed(func(s *Segment) { s.Depth++ }),
	}
	h := new(testHasher)
	last := map[string]string{}
	for name, p := range bodies {
		list := p.Stretches(h)
		end := list[len(list)-1]
		assert.Equal(t, len(p.Segments), end.End)
		sum := fmt.Sprint(end.Sum)
		assert.Empty(t, last[sum], "%s has the sum of another", name)
		last[sum] = name
	}
	again := stretched(`{"elsewhere": true, "in": "another body"}`, "ab", "c", long)
	assert.Equal(t, bodies["two short texts and a long one"].Stretches(h)[2].Sum, again.Stretches(h)[2].Sum, "wherever the texts stand")
}

func TestAStretchHasTheSizeOfItsTexts(t *testing.T) {
	p := stretched("", "ab", "/c", strings.Repeat("x", 100))
	list := p.Stretches(new(testHasher))
	assert.Len(t, list, 2)
	assert.Equal(t, 3, list[0].Size)
	assert.Equal(t, 103, list[1].Size)
}
