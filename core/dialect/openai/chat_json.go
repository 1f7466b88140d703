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

// appendChatString appends a JSON string.
func appendChatString(dst []byte, s string) []byte {
	if !utf8.ValidString(s) {
		s = strings.ToValidUTF8(s, "\uFFFD")
	}
	return append(splice.AppendEscaped(append(dst, '"'), s), '"')
}

// appendChatMember appends a comma and a member that is a string.
func appendChatMember(dst []byte, name, s string) []byte {
	return appendChatString(appendChatKey(dst, name), s)
}

// appendChatKey appends a comma and the key of a member.
func appendChatKey(dst []byte, name string) []byte {
	return append(append(append(dst, `,"`...), name...), `":`...)
}

func appendChatInt(dst []byte, n int64) []byte { return strconv.AppendInt(dst, n, 10) }

// makeChatID returns a new identifier, for an answer that came without one.
func makeChatID(prefix string) string {
	var b [12]byte
	_, _ = rand.Read(b[:]) // never fails
	return prefix + hex.EncodeToString(b[:])
}

// mapFinish returns the finish_reason of an answer. A refusal that the model wrote
// itself is "stop"; one that the provider enforced is "content_filter".
func mapFinish(f llm.Finish, refused bool) string {
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

// appendChatUsage appends a usage object. OpenAI has no field for tokens written to a cache;
// they go where OpenRouter puts them.
func appendChatUsage(dst []byte, u llm.Usage) []byte {
	dst = appendChatInt(append(dst, `{"prompt_tokens":`...), u.Input)
	dst = appendChatInt(append(dst, `,"completion_tokens":`...), u.Output)
	dst = appendChatInt(append(dst, `,"total_tokens":`...), u.Total())
	dst = appendChatInt(append(dst, `,"prompt_tokens_details":{"cached_tokens":`...), u.Cached)
	if u.Written > 0 {
		dst = appendChatInt(append(dst, `,"cache_write_tokens":`...), u.Written)
	}
	dst = appendChatInt(append(dst, `},"completion_tokens_details":{"reasoning_tokens":`...), u.Reasoning)
	return append(dst, `}}`...)
}

// appendChatExtra appends the member that holds a thought signature; see readChatSignature.
func appendChatExtra(dst []byte, signature string) []byte {
	dst = append(dst, `,"extra_content":{"google":{"thought_signature":`...)
	return append(appendChatString(dst, signature), `}}`...)
}
