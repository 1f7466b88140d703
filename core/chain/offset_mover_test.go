package chain

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/offset"
)

// movedStream is a stream with texts of two choices, of which links have replaced and inserted pieces.
func movedStream(r *rand.Rand, texts int) (s *Stream, sent, kept map[int32]string) {
	s, sent, kept = &Stream{links: make([]streamLink, 1)}, map[int32]string{}, map[int32]string{}
	for i := range texts {
		p := core.Part{Kind: core.KindText, Choice: int32(i % 2), Index: int32(i)}
		q := &part{Part: p, bufs: make([]tail, 1)}
		s.followOffsets(q)
		var before, after strings.Builder
		for range r.IntN(4) {
			text := strings.Repeat("é-", r.IntN(3))
			before.WriteString("." + text)
			m := q.bufs[0].moved
			m.note([]byte("."+text), 0, 1, nil)
			switch with := strings.Repeat("x", r.IntN(4)); {
			case r.IntN(2) == 0: // replaced
				m.note([]byte(text), 0, len(text), []core.Edit{{End: len(text), With: with}})
				after.WriteString("." + with)
			default: // inserted behind it
				m.note([]byte(text), 0, len(text), []core.Edit{{Start: len(text), End: len(text), With: with}})
				after.WriteString("." + text + with)
			}
		}
		q.moved.received = offset.Measure([]byte(before.String()))
		sent[p.Choice] += before.String()
		kept[p.Choice] += after.String()
	}
	return s, sent, kept
}

// Each full stop of the provider's text is found again, wherever it is: the offsets of an event count through all texts of a
// choice, or name the text.
func TestOffsetsThroughManyTextsFindTheSameText(t *testing.T) {
	for seed := range uint64(50) {
		s, sent, kept := movedStream(rand.New(rand.NewPCG(seed, 0)), 9)
		m := offsetMover{texts: s.texts}
		for choice, text := range sent {
			dots := 0
			for i := range text {
				if text[i] != '.' {
					continue
				}
				for _, u := range []offset.Unit{offset.Bytes, offset.Runes} {
					at, place := offset.Measure([]byte(text[:i])).Count(u), offset.Place{Choice: choice, Joined: true}
					from := m.move(&offset.Number{Place: place, Unit: u}, at)
					to := m.move(&offset.Number{Place: place, Unit: u, IsEnd: true}, at+1)
					assert.Equal(t, nthDot(kept[choice], dots, u), from, "seed %d: %q became %q", seed, text, kept[choice])
					assert.Equal(t, from+1, to, "the stretch has not become longer")
				}
				dots++
			}
		}
		assert.Equal(t, 7, m.move(&offset.Number{Place: offset.Place{Choice: 9, Joined: true}}, 7), "an unknown choice")
		assert.Equal(t, 7, m.move(&offset.Number{Place: offset.Place{Index: 99}}, 7), "an unknown text")
	}
}

// nthDot returns the offset of the full stop with so many before it.
func nthDot(text string, n int, u offset.Unit) int {
	at := -1
	for range n + 1 {
		at += 1 + strings.IndexByte(text[at+1:], '.')
	}
	return offset.Measure([]byte(text[:at])).Count(u)
}

func TestAStreamKeepsABoundedNumberOfEdits(t *testing.T) {
	const texts, links, edits = maxMovedParts + 5, 3, 100
	s := &Stream{links: make([]streamLink, links)}
	var last *part
	for i := range texts {
		q := &part{Part: core.Part{Kind: core.KindText, Index: int32(i)}, bufs: make([]tail, links)}
		s.followOffsets(q)
		if q.moved == nil {
			continue
		}
		last = q
		for k := range q.bufs {
			for range edits {
				q.bufs[k].moved.note([]byte("ab"), 0, 2, []core.Edit{{End: 1, With: "xyz"}})
			}
			q.moved.received = offset.Length{Bytes: 2 * edits, Runes: 2 * edits}
		}
	}
	kept := 0
	for _, m := range s.texts {
		for k := range m.links {
			kept += m.links[k].table.Len()
		}
	}
	assert.Len(t, s.texts, maxMovedParts)
	assert.LessOrEqual(t, kept, maxMovedEdits+maxMovedParts*links)
	assert.Equal(t, 2*edits+2*edits*links, last.moved.shift(2*edits, offset.Bytes, false), "what is behind all edits stays right")
}
