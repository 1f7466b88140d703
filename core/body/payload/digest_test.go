package payload

import (
	"fmt"
	"hash/fnv"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// testHasher counts the bytes that it hashes.
type testHasher struct{ bytes int }

func (h *testHasher) Hash(d Domain, b []byte) (s Sum) {
	h.bytes += len(b)
	f := fnv.New128a()
	_, _ = f.Write(append([]byte{byte(d)}, b...))
	copy(s[:], f.Sum(nil))
	return s
}

// editedSums remembers sums of edited texts.
type editedSums struct {
	of   map[Sum]Sum
	hits int
}

func (k *editedSums) RecallSum(from *Sum) (Sum, bool) {
	sum, ok := k.of[*from]
	if ok {
		k.hits++
	}
	return sum, ok
}

func (k *editedSums) StoreSum(from *Sum, sum Sum) { k.of[*from] = sum }

// textsBody returns a body with a segment for each text.
func textsBody(texts ...string) *Payload {
	p := &Payload{Raw: []byte("[")}
	for _, s := range texts {
		p.Raw = append(p.Raw, '"')
		start := len(p.Raw)
		p.Raw = append(p.Raw, s...)
		p.Segments = append(p.Segments, Segment{Depth: 1, Span: splice.Span{Start: start, End: len(p.Raw)}})
		p.Raw = append(p.Raw, `",`...)
	}
	return p
}

func TestLongTextsOfADigestedBodyAreSumsThatAreComputedOnce(t *testing.T) {
	long, h := strings.Repeat("ä long text ", 100), new(testHasher)
	p := textsBody("short", long, long+"!", "short again")
	one, err := p.AppendDigested([]byte("before "), h, nil)
	require.NoError(t, err)
	assert.Contains(t, string(one), `before ["short","`)
	assert.NotContains(t, string(one), "long text")
	assert.Less(t, len(one), 100)
	known := h.bytes
	again, err := p.AppendDigested([]byte("before "), h, nil)
	require.NoError(t, err)
	assert.Equal(t, one, again)
	assert.Equal(t, known, h.bytes, "no text is hashed twice")
}

func TestDigestedBodiesAreEqualIfTheBodiesAre(t *testing.T) {
	long := strings.Repeat("0123456789", 8)
	texts := []string{"", "a", long, long + "a", strings.Repeat("é", 40), long[:minDigested], long[:minDigested-1]}
	bodyOf, digestOf := map[string]string{}, map[string]string{}
	sums := &editedSums{of: map[Sum]Sum{}}
	for seed := range uint64(4000) {
		r := rand.New(rand.NewPCG(seed, 3))
		var chosen []string
		for range r.IntN(4) {
			chosen = append(chosen, texts[r.IntN(len(texts))])
		}
		p := textsBody(chosen...)
		var known EditedSums
		if seed%3 > 0 { // the links before have looked the texts up
			known = sums
			for i := range p.Segments {
				p.SumSegment(new(testHasher), i)
			}
		}
		for range r.IntN(3) {
			for i := range p.Segments {
				if n := len(p.ReadText(i)); n > 0 && r.IntN(3) == 0 {
					p.Apply([]Edit{{Segment: i, Start: 0, End: r.IntN(2) * n, With: fmt.Sprint(r.IntN(3))}})
				}
			}
		}
		if seed%2 == 0 {
			require.NoError(t, p.Flush())
		}
		body, err := p.AppendBody(nil)
		require.NoError(t, err)
		digest, err := p.AppendDigested(nil, new(testHasher), known)
		require.NoError(t, err)
		if known, ok := bodyOf[string(digest)]; ok {
			require.Equal(t, known, string(body), "seed %d: other bodies have other results", seed)
		}
		bodyOf[string(digest)] = string(body)
		if known, ok := digestOf[string(body)]; ok {
			require.Equal(t, known, string(digest), "seed %d: whoever wrote the body", seed)
		}
		digestOf[string(body)] = string(digest)
	}
	assert.Greater(t, len(bodyOf), 200)
	assert.Greater(t, sums.hits, 100)
}

func TestTheBeginningOfAListIsOneSumOfItsBytesAndItsEdits(t *testing.T) {
	const size = 64
	texts := []string{"a", strings.Repeat("0123456789", 8), strings.Repeat("x", 70), "b"}
	bodyOf, begun := map[string]string{}, 0
	for seed := range uint64(4000) {
		r, h := rand.New(rand.NewPCG(seed, 8)), new(testHasher)
		chosen := make([]string, 3+r.IntN(3))
		for k := range chosen {
			chosen[k] = texts[r.IntN(len(texts))]
		}
		p := textsBody(chosen...)
		if ends := p.Segments[1].Span.End + 1; ends-1 >= size {
			b := p.Lists.NewBeginning()
			b.Span, b.First, b.End, b.Size = splice.Span{Start: 1, End: ends}, 0, 2, size
			b.Blocks = min((ends+size-2)/size, (len(p.Raw)-1)/size)
			if b.Span.End <= 1+b.Blocks*size {
				p.Lists.Beginnings = p.Lists.Beginnings[:1]
				begun++
			}
		}
		for range r.IntN(3) {
			if i := r.IntN(len(p.Segments)); len(p.ReadText(i)) > 0 {
				p.Apply([]Edit{{Segment: i, Start: 0, End: r.IntN(2) * len(p.ReadText(i)), With: texts[r.IntN(2)]}})
			}
		}
		body, err := p.AppendBody(nil)
		require.NoError(t, err)
		digest, err := p.AppendDigested(nil, h, nil)
		require.NoError(t, err)
		assert.Equal(t, len(p.Lists.Beginnings), strings.Count(string(digest), "\x01b"), "%q", digest)
		if known, ok := bodyOf[string(digest)]; ok {
			require.Equal(t, known, string(body), "seed %d", seed)
		}
		bodyOf[string(digest)] = string(body)
	}
	assert.Greater(t, begun, 1000)
}
