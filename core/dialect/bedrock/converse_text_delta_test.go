package bedrock

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/llm"
)

// FuzzWhatIsReadQuicklyIsWhatTheDeltaSays compares the quick reading with the full one.
func FuzzWhatIsReadQuicklyIsWhatTheDeltaSays(f *testing.F) {
	for _, body := range []string{
		`{"contentBlockIndex":0,"delta":{"text":" word"},"p":"abcdef"}`, `{"delta":{"text":"\u00e9\n\ud83d\ude00"},"contentBlockIndex":2}`,
		`{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{"}}}`, `{"contentBlockIndex":0,"delta":{"text":"a","text":"b"}}`, `{"contentBlockIndex":1.5,"delta":{"text":"x"}}`,
		`{"contentBlockIndex":0,"delta":{"reasoningContent":{"text":"hm"}}}`, `{"contentBlockIndex":0,"delta":{"reasoningContent":{"signature":"s"}}}`, `{"contentBlockIndex":0,"delta":{}}`, `{"contentBlockIndex":0,"delta":{"text":null}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		var quick, full []llm.Event
		s := events{started: true, part: llm.CallPart}
		ok, err := s.readTextDelta(body, func(ev *llm.Event) error { quick = append(quick, *ev); return nil })
		if !ok {
			return
		}
		var p payload
		require.NoError(t, json.Unmarshal(body, &p), "%s", body)
		whole := events{started: true, part: llm.CallPart}
		wrong := whole.readBlockDelta(&p, func(ev *llm.Event) error { full = append(full, *ev); return nil })
		assert.Equal(t, wrong, err)
		assert.Equal(t, full, quick, "%s", body)
	})
}
