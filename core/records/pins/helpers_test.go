package pins_test

import (
	"encoding/json"
	"maps"
	"testing"

	"github.com/stretchr/testify/require"
)

// merge returns an object with some members replaced.
func merge(t *testing.T, text, with string) string {
	t.Helper()
	var a, b map[string]json.RawMessage
	require.NoError(t, json.Unmarshal([]byte(text), &a))
	require.NoError(t, json.Unmarshal([]byte(with), &b))
	maps.Copy(a, b)
	out, err := json.Marshal(a)
	require.NoError(t, err)
	return string(out)
}
