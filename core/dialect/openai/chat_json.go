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

// chatMember appends a comma and a member that is a string.
func chatMember(dst []byte, name, s string) []byte {
	return chatString(chatKey(dst, name), s)
}

// chatKey appends a comma and the key of a member.
func chatKey(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

func chatInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// chatNewID returns a new identifier, for an answer that came without one.
func chatNewID(prefix string) string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// finishWord returns the finish_reason of an answer. A refusal that the model wrote
// itself is "stop"; one that the provider enforced is "content_filter".
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

// chatUsage appends a usage object. OpenAI has no field for tokens written to a cache;
// they go where OpenRouter puts them.
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

// chatExtra appends the member that holds a thought signature; see chatSignature.
func chatExtra(dst []byte, signature string) []byte {
	dst = append(dst, `,"extra_content":{"google":{"thought_signature":`...)
	return append(chatString(dst, signature), `}}`...)
}
