// Package bound says how much a call can use at most, before it is made: what budgets reserve.
package bound

import (
	"bytes"
	"math"
	"math/bits"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	"github.com/headgate-dev/headgate/core/llm/tokens"
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
	// PerText is how many tokens surround each text, see core/llm/tokens.
	PerText = 3
)

// opaqueLength is the minimum length of a base64 string that is taken for a picture.
const opaqueLength = 1024

// BoundInput returns an upper bound of the tokens of a request: tokens of byte-pair vocabularies have at least one byte
// each.
func BoundInput(x *core.Exchange) int64 {
	return int64(len(x.Request.Raw)) - countOpaque(x) + boundConstant(x)
}

// boundConstant returns the part that is not proportional to the bytes.
func boundConstant(x *core.Exchange) int64 {
	n := int64(0)
	if len(x.Head.Tools) > 0 {
		n += toolTokens
	}
	if x.Head.Images {
		n += imageTokens * int64(bytes.Count(x.Request.Raw, []byte("image")))
	}
	for i := range x.Appended { // of an answer that is requested again
		n += PerText + int64(len(x.Appended[i].Text()))
	}
	return n
}

// countOpaque returns how many bytes of the request are pictures, which are counted differently from text.
func countOpaque(x *core.Exchange) (n int64) {
	if !x.Head.Images {
		return 0
	}
	at := 0
	for part := range bytes.SplitSeq(x.Request.Raw, []byte{'"'}) {
		if len(part) >= opaqueLength && isBase64(part) && !isText(x, at) {
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

// isBase64 reports whether a string is base64, with or without a data URL around it.
func isBase64(s []byte) bool {
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

// CountInput is BoundInput with the tokenizer instead of bytes. Vocabularies of other vendors may need more tokens
// than OpenAI's: at most half more in what has been published. The bound by bytes applies to them too.
func CountInput(x *core.Exchange) int64 {
	bound := BoundInput(x)
	// The text of a file in base64 takes more tokens than its letters might.
	if x.Head.Images || slices.ContainsFunc(x.Request.Segments, func(s core.Segment) bool { return s.Base64 }) {
		return bound
	}
	n, err := tokens.CountText(strings.ToValidUTF8(string(x.Request.Raw), "?"))
	if err != nil { // too long to count
		return bound
	}
	margin := n / 2
	for _, p := range openAINames {
		if strings.HasPrefix(x.Target.Model, p) {
			margin = n / 8
		}
	}
	return min(bound, n+margin+PerText*int64(x.Head.Messages+1)+boundConstant(x))
}

// Multiply multiplies two amounts that are not negative, without overflow.
func Multiply(a, b int64) int64 {
	hi, lo := bits.Mul64(uint64(a), uint64(b))
	if hi > 0 || lo > MaxUnits {
		return MaxUnits
	}
	return int64(lo)
}

// MaxUnits is more than any budget, and small enough for sums.
const MaxUnits = math.MaxInt64 >> 3

// bytesPerToken is the usual length of a token of English text.
const bytesPerToken = 4

// BoundText returns the tokens of a text by the tokenizer, or an estimate by its length if it is too long to count.
func BoundText(text string) int64 {
	n, err := tokens.CountText(strings.ToValidUTF8(text, "?"))
	if err != nil {
		return int64(len(text)) / bytesPerToken
	}
	return n
}

// BoundThinking returns how many tokens a target may think before an answer, besides the limit of the answer: translation to
// one of these shapes adds them.
func BoundThinking(x *core.Exchange) int64 {
	if w := x.Target.Wire; x.Head.Effort != "" && (w == "anthropic.messages" || w == "bedrock.converse") && x.Dialect != w {
		return thinkingTokens
	}
	return 0
}

// BoundOutput returns the most tokens of one answer: the lowest of the client's limit, or else the given one, and those that
// links have set; 0: none is set.
func BoundOutput(x *core.Exchange, limit int64) int64 {
	if x.Head.MaxTokens != 0 {
		limit = x.Head.MaxTokens
	}
	if c := x.TokenCap(); c > 0 && (limit == 0 || c < limit) {
		limit = c
	}
	return limit
}

// BoundPrompt returns how many tokens the model reads of the texts of a request, by the tokenizer.
func BoundPrompt(x *core.Exchange) int64 {
	n := PerText * int64(x.Head.Messages+1)
	for i := range x.Request.Segments {
		n += BoundText(x.Request.ReadText(i))
	}
	return n
}

// Estimate returns how many tokens a request will presumably read and write: a prompt of average density, and the
// longest permitted answer. limit is that of an answer without one, 0 for none.
func Estimate(x *core.Exchange, limit int64) int64 {
	switch x.Head.Task {
	case llm.TaskCount, llm.TaskTool, llm.TaskAgent:
		return 0
	case llm.TaskEmbed:
		return int64(len(x.Request.Raw)) / bytesPerToken
	}
	if x.Head.Task.IsBounded() { // most of the body may be sound or pictures
		n := 0
		for i := range x.Request.Segments {
			n += x.Request.Segments[i].Span.Len()
		}
		return int64(n) / bytesPerToken
	}
	// More than any limit, but small enough for sums.
	answers := x.Head.Answers()
	return int64(len(x.Request.Raw))/bytesPerToken + min(BoundOutput(x, limit), maxTokens/answers)*answers
}

// maxTokens limits estimates, whatever a client requests.
const maxTokens = int64(1) << 50

// MayCost reports whether a call may have cost something: it was answered, or its answer was lost.
func MayCost(a *core.Attempt) bool {
	return a.Usage.Known() || a.Lost || a.Status >= 200 && a.Status < 300
}
