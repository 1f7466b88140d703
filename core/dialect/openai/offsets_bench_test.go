package openai

import (
	"strings"
	"testing"
)

// Twins: the same answer is passed over by its bytes, and read member by member because of an escape in it.
func BenchmarkAppendOffsets(b *testing.B) {
	answer := `{"id":"chatcmpl-1","object":"chat.completion","created":1741569952,"model":"gpt-test","choices":[{"index":0,"message":` +
		`{"role":"assistant","content":"` + strings.Repeat("It is sunny in the whole country. ", 20) + `","refusal":null,"annotations":[]},` +
		`"logprobs":null,"finish_reason":"stop"}],"usage":{"prompt_tokens":19,"completion_tokens":10,"total_tokens":29,` +
		`"prompt_tokens_details":{"cached_tokens":0,"audio_tokens":0},"completion_tokens_details":{"reasoning_tokens":0}},` +
		`"service_tier":"default"`
	for name, end := range map[string]string{"passed over": `}`, "read": `,"note":"\u0061"}`} {
		b.Run(name, func(b *testing.B) {
			doc := []byte(answer + end)
			b.SetBytes(int64(len(doc)))
			b.ReportAllocs()
			for b.Loop() {
				if len(chatOffsets{}.AppendOffsets(nil, doc)) > 0 {
					b.Fatal("an offset was found")
				}
			}
		})
	}
}
