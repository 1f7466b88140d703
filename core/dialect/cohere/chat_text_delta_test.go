package cohere

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzWhatIsReadQuicklyIsWhatTheEventSays compares the quick reading with the full one.
func FuzzWhatIsReadQuicklyIsWhatTheEventSays(f *testing.F) {
	for _, data := range []string{
		`{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":" word"}}}}`,
		`{"delta":{"message":{"content":{"text":"\u00e9\n\ud83d\ude00"}}},"index":3,"type":"content-delta"}`,
		`{"type":"content-delta","index":0,"delta":{"message":{"content":{"thinking":"hm"}}}}`, `{"type":"content-delta","index":0,"delta":{"message":{"content":{"text":"a","text":"b"}}}}`,
		`{"type":"content-delta","index":1e1,"delta":{"message":{"content":{"text":"x"}}}}`, `{"type":"content-end","index":0}`,
		`{"type":"tool-call-delta","index":1,"delta":{"message":{"tool_calls":{"function":{"arguments":"{\"a"}}}}}`, `{"type":"tool-plan-delta","delta":{"message":{"tool_plan":"I will"}}}`, `{"type":"content-delta","index":0,"delta":{}}`,
		`{"type":"content-delta","index":0,"logprobs":null,"delta":{"message":{"content":{"text":"x"}}}}`,
	} {
		f.Add([]byte(data))
	}
	f.Fuzz(func(t *testing.T, data []byte) {
		d := decoder{started: true}
		var want, c chunk
		if !d.readTextDelta(data, &want) {
			return
		}
		require.NoError(t, json.Unmarshal(data, &c), "%s", data)
		assert.Equal(t, want, c, "%s", data)
	})
}
