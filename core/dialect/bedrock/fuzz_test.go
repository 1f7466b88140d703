package bedrock

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

func FuzzStreamsNeverPanic(f *testing.F) {
	for name := range streams {
		f.Add(frames(f, name), 7)
	}
	f.Fuzz(func(t *testing.T, stream []byte, n int) {
		whole, err := collect(stream, 0)
		cut, cutErr := collect(stream, max(n, 1))
		require.Equal(t, err != nil, cutErr != nil)
		if err == nil {
			assert.Equal(t, whole, cut)
		}
	})
}

func FuzzEventsNeverPanic(f *testing.F) {
	f.Add(
		"contentBlockStart",
		`{"contentBlockIndex":0,"start":{"toolUse":{"name":"f","toolUseId":"1"}}}`,
		"contentBlockDelta",
		`{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{}"}}}`,
	)
	f.Add("contentBlockDelta", `{"delta":{"reasoningContent":{"signature":"s"}}}`, "messageStop", `{"stopReason":"end_turn"}`)
	f.Fuzz(func(t *testing.T, kind1, one, kind2, two string) {
		var s events
		opens := false
		emit := func(ev *llm.Event) error {
			opens = opens || ev.Kind == llm.Opened
			if ev.Kind == llm.Delta || ev.Kind == llm.Signed {
				require.True(t, opens, "text without a part")
			}
			return nil
		}
		if s.readEvent(kind1, []byte(one), emit) == nil {
			_ = s.readEvent(kind2, []byte(two), emit)
		}
		_ = s.emitEnd(emit)
	})
}

func FuzzAnswersNeverPanicAndGoBack(f *testing.F) {
	f.Add(file(f, "text.json"))
	f.Add(file(f, "tools.json"))
	f.Fuzz(func(t *testing.T, body []byte) {
		_, _ = ConverseWire{}.ReadError(body)
		a, err := ConverseWire{}.DecodeResponse(body)
		if err != nil {
			return
		}
		r := &llm.Request{Messages: []llm.Message{model(a.Choices[0].Parts...)}}
		if b, e := (ConverseWire{}).EncodeRequest(nil, r, claude()); e == nil {
			require.True(t, json.Valid(b), "%s", b)
		}
	})
}
