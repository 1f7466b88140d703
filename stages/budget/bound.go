package budget

import (
	"encoding/binary"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm/tokens"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/core/records/spending/bound"
)

// promptFits reports whether countPromptTokens is at most the given number, as far as bounds show: first the bound by bytes,
// which needs no decoding, then remembered counts and bounds, then the bound of core/llm/tokens, for as many texts as necessary.
// Remembered values come first: if one message of a long conversation was new, reading it took 20 us of 460.
func (s *Stage) promptFits(x *core.Exchange, most int64) bool {
	n := bound.PerText * int64(x.Head.Messages+1)
	for i := range x.Request.Segments {
		n += int64(x.Request.Segments[i].Span.Len())
	}
	for i := 0; n > most && i < len(x.Request.Segments); {
		var room [fewUnread]textBound
		unread := room[:0]
		for ; n > most && i < len(x.Request.Segments) && len(unread) < fewUnread; i++ {
			b := textBound{segment: i, n: int64(x.Request.Segments[i].Span.Len())}
			n -= b.n
			s.recallBound(x, &b)
			if n += b.n; !b.lowest {
				unread = append(unread, b)
			}
		}
		// The last texts first: the first message may be new each time, and a text that is read now is known the next time.
		for k := len(unread) - 1; n > most && k >= 0; k-- {
			n -= unread[k].n
			n += s.boundTokens(x, unread[k].segment, most-n)
		}
	}
	return n <= most
}

// fewUnread is how many texts without a known bound are collected before the last of them is read.
const fewUnread = 4

// textBound is a number that the tokens of a text do not exceed.
type textBound struct {
	segment int
	n       int64
	lowest  bool // reading the text cannot lower it
}

// recallBound sets a bound from the remembered values of the text.
func (s *Stage) recallBound(x *core.Exchange, b *textBound) {
	m := s.counts.ComputeSegmentRun(x, &x.Request, b.segment, core.Target)
	if n, ok := s.recallCount(&m); ok {
		b.n, b.lowest = n, true
		return
	}
	for _, part := range [...]*recall.Part{&s.bounds, &s.looser} {
		m = part.ComputeSegmentRun(x, &x.Request, b.segment, core.Target)
		var room [binary.MaxVarintLen64]byte
		if value, ok := part.Recall(room[:0], &m); ok {
			b.n, _ = binary.Varint(value)
			b.lowest = part == &s.bounds
			return
		}
	}
}

// boundTokens returns tokens.BoundText of a text, and remembers it. The bound is final if the text was read to its end.
func (s *Stage) boundTokens(x *core.Exchange, i int, enough int64) int64 {
	n, part := tokens.BoundText(x.Request.ReadText(i), enough), &s.looser
	if n > enough {
		part = &s.bounds
	}
	m := part.ComputeSegmentRun(x, &x.Request, i, core.Target)
	var room [binary.MaxVarintLen64]byte
	part.Store(&m, room[:binary.PutVarint(room[:], n)])
	return n
}

// countPromptTokens estimates how many tokens the model reads. It counts the texts with the tokenizer unless that takes too
// long.
func (s *Stage) countPromptTokens(x *core.Exchange) int64 {
	n := bound.PerText * int64(x.Head.Messages+1)
	for i := range x.Request.Segments {
		m := s.counts.ComputeSegmentRun(x, &x.Request, i, core.Target)
		count, ok := s.recallCount(&m)
		if !ok {
			count = bound.BoundText(x.Request.ReadText(i))
			var value [binary.MaxVarintLen64]byte
			s.counts.Store(&m, value[:binary.PutVarint(value[:], count)])
		}
		n += count
	}
	return n
}

// recallCount returns the tokens of a text that was counted before.
func (s *Stage) recallCount(m *recall.Run) (n int64, ok bool) {
	var room [binary.MaxVarintLen64]byte
	value, ok := s.counts.Recall(room[:0], m)
	if ok {
		n, _ = binary.Varint(value)
	}
	return n, ok
}
