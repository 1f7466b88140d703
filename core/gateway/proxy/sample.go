package proxy

import (
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/llm/tokens"
)

// maxSample is how many bytes of a text are tokenized; the rest is extrapolated. This takes about 15 ms, only for
// exchanges that were cut off.
const maxSample = 64 << 10

// sample is the beginning of a text, to estimate its tokens.
type sample struct {
	text []byte
	size int // of the whole text, in bytes
}

func (s *sample) reset() { s.text, s.size = s.text[:0], 0 }

func (s *sample) add(text string) {
	s.size += len(text)
	s.text = append(s.text, text[:min(len(text), maxSample-min(maxSample, len(s.text)))]...)
}

// addAt adds the text at a span of a document.
func (s *sample) addAt(doc []byte, at splice.Span, depth uint8) {
	if len(s.text) >= maxSample {
		s.size += at.Len()
		return
	}
	s.text = slices.Grow(s.text, at.Len()) // decoding never lengthens a text, so it is written behind what is there
	text, aliased := splice.ReadText(doc, at, depth, s.text)
	s.size += len(text)
	if aliased {
		s.text = append(s.text, text...)
	} else {
		s.text = s.text[:len(s.text)+len(text)]
	}
}

// estimateTokens estimates the number of tokens. A text that cannot be tokenized counts one token per four bytes.
func (s *sample) estimateTokens() int64 {
	if s.size == 0 {
		return 0
	}
	text := strings.ToValidUTF8(string(s.text[:min(len(s.text), maxSample)]), "")
	n, err := tokens.CountText(text)
	if err != nil || text == "" {
		return int64(s.size+3) / 4
	}
	if len(text) < s.size {
		return int64(float64(n) * float64(s.size) / float64(len(text)))
	}
	return n
}

// sampleText keeps the text of a streamed answer since the provider's last count.
func (s *streamedAnswer) sampleText(ev *core.Event, before *llm.Usage) {
	if s.c.answer.tr != nil { // translated streams are sampled where they are read
		return
	}
	if s.c.x.Usage != *before {
		s.c.bill.sample.reset()
		return
	}
	doc := ev.Raw
	if ev.Joined != nil {
		doc = ev.Joined
	}
	for i := range ev.Deltas {
		s.c.bill.sample.addAt(doc, ev.Deltas[i].Span, ev.Deltas[i].Depth)
	}
}
