package ollama

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func FuzzStreamsNeverPanic(f *testing.F) {
	for name := range streams {
		f.Add(file(f, name), 7)
	}
	f.Fuzz(func(t *testing.T, stream []byte, n int) {
		whole, err := collect(stream, 0)
		cut, cutErr := collect(stream, max(n, 1))
		require.Equal(t, err != nil, cutErr != nil)
		if err == nil {
			assert.Equal(t, whole, cut)
		}
		opens := false
		for _, ev := range whole {
			opens = opens || ev.Kind == llm.Opened
			if ev.Kind == llm.Delta {
				require.True(t, opens, "text without a part")
			}
		}
	})
}

func FuzzAnswersNeverPanicAndGoBack(f *testing.F) {
	f.Add(file(f, "text.json"))
	f.Add(file(f, "tools.json"))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = ChatWire{}.ReadError(body)
		a, err := ChatWire{}.DecodeResponse(body)
		if err != nil {
			return
		}
		r := &llm.Request{Messages: []llm.Message{model(a.Choices[0].Parts...)}}
		if b, e := (ChatWire{}).EncodeRequest(nil, r, llama()); e == nil {
			require.True(t, json.Valid(b), "%s", b)
		}
	})
}
