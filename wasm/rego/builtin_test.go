package rego

import (
	"encoding/json"
	"runtime"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestSprintfFormatsAsRegoDoes(t *testing.T) {
	for args, want := range map[string]any{
		`["%s is %d", ["a", 5]]`:              "a is 5",
		`["%v %v %v", [true, [1,"x"], null]]`: `true [1,"x"] null`,
		`["%.2f", [1.5]]`:                     "1.50",
		`["%d", [123456789012345678901]]`:     "123456789012345678901",
		`["%s"]`:                              nil,
		`[5, []]`:                             nil,
		`["%1000000d", [1]]`:                  nil,
		`["%*d", [1000000, 1]]`:               nil,
		`["%[1]*[1]d", [100000]]`:             nil,
	} {
		got, ok := formatValues(raws(t, args))
		assert.Equal(t, want != nil, ok, args)
		if ok {
			assert.Equal(t, want, got, args)
		}
	}
}

func TestSprintfMakesNoLongTextOutOfAShortFormat(t *testing.T) {
	long := strings.Repeat("x", 1<<20)
	digits := strings.Repeat("9", 1<<20)
	for name, args := range map[string][2]any{
		"one value repeated many times": {strings.Repeat("%[1]s", 1000), []any{long}},
		"wide":                          {strings.Repeat("%[1]999d", 100_000), []any{1}},
		"an endless number":             {"%b%[1]b%[1]b%[1]b", []any{json.Number(digits)}},
	} {
		format, err := json.Marshal(args[0])
		require.NoError(t, err)
		values, err := json.Marshal(args[1])
		require.NoError(t, err)
		var before, after runtime.MemStats
		runtime.ReadMemStats(&before)
		_, ok := formatValues([]json.RawMessage{format, values})
		assert.False(t, ok, name)
		runtime.ReadMemStats(&after)
		assert.Less(t, after.TotalAlloc-before.TotalAlloc, uint64(32<<20), name)
	}
}

func raws(t *testing.T, list string) (out []json.RawMessage) {
	t.Helper()
	require.NoError(t, json.Unmarshal([]byte(list), &out))
	return out
}
