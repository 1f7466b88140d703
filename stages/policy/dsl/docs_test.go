package dsl

import (
	"os"
	"regexp"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// manual is the page on policies.
func manual(t *testing.T) string {
	t.Helper()
	b, err := os.ReadFile("../../../docs/policy.md")
	require.NoError(t, err)
	return string(b)
}

func TestTheManualNamesEverything(t *testing.T) {
	text := manual(t)
	for _, name := range append(append([]string{}, conditionNames...), actionNames...) {
		assert.Contains(t, text, "`"+name+"`")
	}
	for name, fields := range variables {
		row := regexp.MustCompile("(?m)^\\| `" + name + "` \\|(.*)$").FindString(text)
		require.NotEmpty(t, row, name)
		for field := range fields.attrs {
			if field != "" {
				assert.Contains(t, row, "`"+field+"`")
			}
		}
	}
}

func TestTheExamplesOfTheManualWork(t *testing.T) {
	text := manual(t)
	blocks := regexp.MustCompile("(?s)```(yaml|json)\n(.*?)```").FindAllStringSubmatch(text, -1)
	require.Len(t, blocks, 4)
	for _, b := range blocks {
		switch {
		case b[1] == "json":
			_, err := ReadContext([]byte(b[2]), true, time.Now())
			require.NoError(t, err)
		case !strings.Contains(b[2], "cases:"):
			_, err := Parse([]byte(b[2]), "p", "")
			require.NoError(t, err)
		}
	}
	named, _, _ := strings.Cut(text[strings.Index(text, "## Conditions"):], "## Expressions")
	rows := regexp.MustCompile("(?m)^\\| `[a-z]+(\\.[a-z_]+)?`.*\\| `(.*)` \\|$").FindAllStringSubmatch(named, -1)
	require.Greater(t, len(rows), 40)
	for _, row := range rows {
		_, err := Parse([]byte("rules:\n  - id: a\n    action: DENY\n    conditions: {"+row[2]+"}"), "p", "")
		require.NoError(t, err, row[2])
	}
	rows = regexp.MustCompile("(?m)^\\| `([A-Z_]+)` \\|.*\\| `(.*)` \\|$").FindAllStringSubmatch(text, -1)
	require.GreaterOrEqual(t, len(rows), 9)
	for _, row := range rows {
		_, err := Parse([]byte("rules:\n  - id: a\n    action: "+row[1]+"\n    params: {"+row[2]+"}"), "p", "")
		require.NoError(t, err, row[1])
	}
}
