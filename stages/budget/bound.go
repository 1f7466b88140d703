package budget

import (
	"bytes"
	"encoding/binary"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm/tokens"
	"github.com/headgate-dev/headgate/core/recall"
)

// What a request costs in addition to its bytes.
const (
	// toolTokens is more than the instructions that Anthropic adds before the tools of a request: 313 to 675 by model
	// and choice of tools, according to https://docs.claude.com/en/docs/agents-and-tools/tool-use/overview.
	toolTokens = 1024
	// imageTokens is more than a picture costs with most models: Anthropic scales it to 1.15 megapixels, which are
	// 1,600 tokens (https://docs.claude.com/en/docs/build-with-claude/vision), and OpenAI's GPT-4o takes 1,105 at high
	// detail.
	imageTokens = 2048
	// thinkingTokens is the most that an effort adds to the limit of an answer; see the specification's
	// "Extended-thinking budgets".
	thinkingTokens = 32000
	// perText is how many tokens surround each text, see core/llm/tokens.
	perText = 3
)

// opaqueLength is the minimum length of a base64 string that is taken for a picture.
const opaqueLength = 1024

// inputBound returns an upper bound of the tokens of a request: tokens of byte-pair vocabularies have at least one byte
// each.
func inputBound(x *core.Exchange) int64 {
	return int64(len(x.Request.Raw)) - opaque(x) + aside(x)
}

// aside returns the part that is not proportional to the bytes.
func aside(x *core.Exchange) int64 {
	n := int64(0)
	if len(x.Head.Tools) > 0 {
		n += toolTokens
	}
	if x.Head.Images {
		n += imageTokens * int64(bytes.Count(x.Request.Raw, []byte("image")))
	}
	for i := range x.Appended { // of an answer that is requested again
		n += perText + int64(len(x.Appended[i].Text()))
	}
	return n
}

// opaque returns how many bytes of the request are pictures, which are counted differently from text.
func opaque(x *core.Exchange) (n int64) {
	if !x.Head.Images {
		return 0
	}
	at := 0
	for part := range bytes.SplitSeq(x.Request.Raw, []byte{'"'}) {
		if len(part) >= opaqueLength && encoded(part) && !isText(x, at) {
			n += int64(len(part))
		}
		at += len(part) + 1
	}
	return n
}

// isText reports whether the byte belongs to a text that the model reads as text.
func isText(x *core.Exchange, at int) bool {
	for i := range x.Request.Segments {
		if s := x.Request.Segments[i].Span; s.Start <= at && at < s.End {
			return true
		}
	}
	return false
}

// encoded reports whether a string is base64, with or without a data URL around it.
func encoded(s []byte) bool {
	if i := bytes.Index(s[:opaqueLength/2], []byte(";base64,")); i >= 0 {
		s = s[i+len(";base64,"):]
	}
	for _, c := range s {
		if (c|0x20 < 'a' || c|0x20 > 'z') && (c < '0' || c > '9') && c != '+' && c != '/' && c != '=' && c != '-' && c != '_' && c != '\\' {
			return false
		}
	}
	return true
}

// openAINames are the prefixes of model names that share the vocabulary of core/llm/tokens, or an older one, which
// needs about a tenth more tokens.
var openAINames = []string{"gpt-", "chatgpt-", "o1", "o3", "o4", "text-embedding-", "mock"}

// countedInput is inputBound with the tokenizer instead of bytes. Vocabularies of other vendors may need more tokens
// than OpenAI's: at most half more in what has been published. The bound by bytes applies to them too.
func countedInput(x *core.Exchange) int64 {
	bound := inputBound(x)
	// The text of a file in base64 takes more tokens than its letters might.
	if x.Head.Images || slices.ContainsFunc(x.Request.Segments, func(s core.Segment) bool { return s.Base64 }) {
		return bound
	}
	n, err := tokens.Text(strings.ToValidUTF8(string(x.Request.Raw), "?"))
	if err != nil { // too long to count
		return bound
	}
	margin := n / 2
	for _, p := range openAINames {
		if strings.HasPrefix(x.Target.Model, p) {
			margin = n / 8
		}
	}
	return min(bound, n+margin+perText*int64(x.Head.Messages+1)+aside(x))
}

// times multiplies two amounts that are not negative, without overflow.
func times(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > mostUnits {
		return mostUnits
	}
	return int64(lo)
}

// mostUnits is more than any budget, and small enough for sums.
const mostUnits = math.MaxInt64 >> 3

// promptFits reports whether promptTokens is at most the given number, as far as bounds show: first the bound by bytes,
// which needs no decoding, then remembered counts and bounds, then the bound of core/llm/tokens, for as many texts as necessary.
// Remembered values come first: if one message of a long conversation was new, reading it took 20 us of 460.
func (s *Stage) promptFits(x *core.Exchange, most int64) bool {
	n := perText * int64(x.Head.Messages+1)
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
			n += s.boundOf(x, unread[k].segment, most-n)
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
	m := s.counts.Segment(x, &x.Request, b.segment, core.Target)
	if n, ok := s.recallCount(&m); ok {
		b.n, b.lowest = n, true
		return
	}
	for _, part := range [...]*recall.Part{&s.bounds, &s.looser} {
		m = part.Segment(x, &x.Request, b.segment, core.Target)
		var room [binary.MaxVarintLen64]byte
		if value, ok := part.Recall(room[:0], &m); ok {
			b.n, _ = binary.Varint(value)
			b.lowest = part == &s.bounds
			return
		}
	}
}

// boundOf returns tokens.Bound of a text, and remembers it. The bound is final if the text was read to its end.
func (s *Stage) boundOf(x *core.Exchange, i int, enough int64) int64 {
	n, part := tokens.Bound(x.Request.Text(i), enough), &s.looser
	if n > enough {
		part = &s.bounds
	}
	m := part.Segment(x, &x.Request, i, core.Target)
	var room [binary.MaxVarintLen64]byte
	part.Keep(&m, room[:binary.PutVarint(room[:], n)])
	return n
}

// promptTokens estimates how many tokens the model reads. It counts the texts with the tokenizer unless that takes too
// long.
func (s *Stage) promptTokens(x *core.Exchange) int64 {
	n := perText * int64(x.Head.Messages+1)
	for i := range x.Request.Segments {
		m := s.counts.Segment(x, &x.Request, i, core.Target)
		count, ok := s.recallCount(&m)
		if !ok {
			count = countText(x.Request.Text(i))
			var value [binary.MaxVarintLen64]byte
			s.counts.Keep(&m, value[:binary.PutVarint(value[:], count)])
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

// bytesPerToken is the usual length of a token of English text.
const bytesPerToken = 4

func countText(text string) int64 {
	n, err := tokens.Text(strings.ToValidUTF8(text, "?"))
	if err != nil {
		return int64(len(text)) / bytesPerToken
	}
	return n
}
