package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestArgumentsAreAsPreciseAsTheyAreSpelled(t *testing.T) {
	got, err := readArguments([]byte(`{"small":7,"half":0.5,"id":9007199254740993,"ids":[{"n":-9223372036854775808}],` +
		`"huge":18446744073709551617,"over":1e999}`))
	require.NoError(t, err)
	assert.Equal(t, map[string]any{
		"small": 7.0, "half": 0.5, "id": int64(9007199254740993), "ids": []any{map[string]any{"n": int64(-1 << 63)}},
		"huge": "18446744073709551617", "over": "1e999",
	}, got)
	for _, bad := range []string{`[]`, `{`, `"x"`, ``} {
		_, err := readArguments([]byte(bad))
		assert.Error(t, err, "a deny rule would be skipped: %s", bad)
	}
}
