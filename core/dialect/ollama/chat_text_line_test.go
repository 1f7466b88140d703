package ollama

import (
	"encoding/json"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// FuzzWhatIsReadQuicklyIsWhatTheLineSays compares the quick reading with the full one.
func FuzzWhatIsReadQuicklyIsWhatTheLineSays(f *testing.F) {
	for _, line := range []string{
		`{"model":"llama3.2","created_at":"2025-07-07T20:22:19.184789Z","message":{"role":"assistant","content":" word"},"done":false}`,
		`{"message":{"content":"\u00e9\n\ud83d\ude00"},"done":false}`, `{"message":{"role":"assistant","content":"","thinking":"hm"},"done":false}`,
		`{"message":{"content":"x"},"done":true}`, `{"done":false}`, `{"message":{"content":"a","content":"b"},"done":false}`,
		`{"message":{"content":"x"},"done":false,"Done":true}`, `{"message":{},"done":false}`, `{"message":{"content":"x"},"done":false}}`,
	} {
		f.Add([]byte(line))
	}
	f.Fuzz(func(t *testing.T, line []byte) {
		d := decoder{started: true}
		if !d.readTextLine(line) {
			return
		}
		var a answer
		require.NoError(t, json.Unmarshal(line, &a), "%s", line)
		require.NotNil(t, a.Message)
		a.Model, a.Created = "", ""
		assert.Equal(t, answer{Message: &d.msg}, a, "%s", line)
	})
}
