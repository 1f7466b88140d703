package bedrock

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzWhatIsReadQuicklyIsWhatTheDeltaSays compares the quick reading with the full one.
func FuzzWhatIsReadQuicklyIsWhatTheDeltaSays(f *testing.F) {
	for _, body := range []string{
		`{"contentBlockIndex":0,"delta":{"text":" word"},"p":"abcdef"}`, `{"delta":{"text":"\u00e9\n\ud83d\ude00"},"contentBlockIndex":2}`,
		`{"contentBlockIndex":0,"delta":{"toolUse":{"input":"{"}}}`, `{"contentBlockIndex":0,"delta":{"text":"a","text":"b"}}`, `{"contentBlockIndex":1.5,"delta":{"text":"x"}}`,
		`{"contentBlockIndex":0,"delta":{}}`, `{"contentBlockIndex":0,"delta":{"text":null}}`,
	} {
		f.Add([]byte(body))
	}
	f.Fuzz(func(t *testing.T, body []byte) {
		s := events{started: true}
		index, text, ok := s.quick(body)
		if !ok {
			return
		}
		var p, want payload
		require.NoError(t, json.Unmarshal(body, &p), "%s", body)
		want.Index, want.Delta.Text = index, &text
		assert.Equal(t, want, p, "%s", body)
	})
}
