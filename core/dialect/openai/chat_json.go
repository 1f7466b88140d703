package openai

import (
	"crypto/rand"
	"encoding/hex"
	"strconv"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/llm"
)

// chatString appends a JSON string.
func chatString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return append(splice.AppendEscaped(append(dst, '"'), s), '"')
}

// chatMember appends a member whose value is a string, and a comma before it.
func chatMember(dst []byte, name, s string) []byte {
	return chatString(chatKey(dst, name), s)
}

// chatKey appends the key of another member.
func chatKey(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

func chatInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// chatNewID makes an identifier where the other side gave none.
func chatNewID(prefix string) string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// finishWord is the reason as clients of this shape know it. A model that declines
// in a refusal stops; one that is stopped for it was filtered.
func finishWord(f llm.Finish, refused bool) string {
	switch f {
	case llm.FinishLength:
		return "length"
	case llm.FinishTools:
		return "tool_calls"
	case llm.FinishFiltered:
		return "content_filter"
	case llm.FinishRefusal:
		if !refused {
			return "content_filter"
		}
	}
	return "stop"
}

// chatUsage appends a usage object. What was written to a cache has no place in
// OpenAI's; it stands where OpenRouter has it.
func chatUsage(dst []byte, u llm.Usage) []byte {
	dst = chatInt(append(dst, `{"prompt_tokens":`...), u.Input)
	dst = chatInt(append(dst, `,"completion_tokens":`...), u.Output)
	dst = chatInt(append(dst, `,"total_tokens":`...), u.Total())
	dst = chatInt(append(dst, `,"prompt_tokens_details":{"cached_tokens":`...), u.Cached)
	if u.Written > 0 {
		dst = chatInt(append(dst, `,"cache_write_tokens":`...), u.Written)
	}
	dst = chatInt(append(dst, `},"completion_tokens_details":{"reasoning_tokens":`...), u.Reasoning)
	return append(dst, `}}`...)
}

// chatExtra appends what a thought signature stands in; see chatSignature.
func chatExtra(dst []byte, signature string) []byte {
	dst = append(dst, `,"extra_content":{"google":{"thought_signature":`...)
	return append(chatString(dst, signature), `}}`...)
}
