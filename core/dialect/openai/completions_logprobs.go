package openai

import (
	"encoding/json"
	"unicode/utf8"
)

// chatToken is one entry of the chat shape's log probabilities.
type chatToken struct {
	Token   string      `json:"token"`
	Logprob json.Number `json:"logprob"`
	Top     []chatToken `json:"top_logprobs"`
}

// appendCompletionsLogprobs converts the logprobs object of chat into that of legacy
// completions: parallel lists with the offset of each token. offset counts characters
// across chunks.
func appendCompletionsLogprobs(dst []byte, raw json.RawMessage, offset *int) []byte {
	var v struct {
		Content []chatToken `json:"content"`
	}
	if len(raw) == 0 || json.Unmarshal(raw, &v) != nil || v.Content == nil {
		return append(dst, "null"...)
	}
	list := func(name string, one func(t *chatToken)) {
		dst = append(append(append(dst, '"'), name...), `":[`...)
		for i := range v.Content {
			if i > 0 {
				dst = append(dst, ',')
			}
			one(&v.Content[i])
		}
		dst = append(dst, ']')
	}
	number := func(n json.Number) {
		if n == "" {
			n = "null"
		}
		dst = append(dst, n...)
	}
	dst = append(dst, '{')
	list("tokens", func(t *chatToken) { dst = appendChatString(dst, t.Token) })
	dst = append(dst, ',')
	list("token_logprobs", func(t *chatToken) { number(t.Logprob) })
	dst = append(dst, ',')
	list("top_logprobs", func(t *chatToken) {
		dst = append(dst, '{')
		seen := map[string]bool{} // keys must be unique
		for i := range t.Top {
			if seen[t.Top[i].Token] {
				continue
			}
			if len(seen) > 0 {
				dst = append(dst, ',')
			}
			seen[t.Top[i].Token] = true
			dst = append(appendChatString(dst, t.Top[i].Token), ':')
			number(t.Top[i].Logprob)
		}
		dst = append(dst, '}')
	})
	dst = append(dst, ',')
	list("text_offset", func(t *chatToken) {
		dst = appendChatInt(dst, int64(*offset))
		*offset += utf8.RuneCountInString(t.Token)
	})
	return append(dst, '}')
}
