package importtool

import (
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const (
	begin = "<!-- The tables below are made by `go test ./cmd/headgate/importtool -update`. -->\n"
	page  = "../../../docs/import.md"
)

// listDocumented returns the tables by source and place.
func listDocumented() []struct {
	title string
	rules []rule
} {
	return []struct {
		title string
		rules []rule
	}{
		{"LiteLLM: `model_list[]`", modelRules},
		{"LiteLLM: other settings", litellmRules},
		{"LiteLLM: guardrails and servers of tools", joinRules(guardFields, mcpFields)},
		{"Bifrost", bifrostRules},
		{"Bifrost: `providers.*`", bifrostProviderRules},
		{"Bifrost: `providers.*.keys[]`", bifrostKeyRules},
		{"Bifrost: keys, budgets and limits", governanceFields},
		{"Portkey", joinRules(portkeyFields, portkeyRootRules, portkeyRules)},
		{"Portkey: a target", portkeyTargetRules},
	}
}

func TestTheTablesOfTheDocumentAreThoseOfTheCode(t *testing.T) {
	t.Parallel()
	var b strings.Builder
	b.WriteString(begin)
	for _, part := range listDocumented() {
		fmt.Fprintf(&b, "\n### %s\n\n| field | outcome | becomes | note |\n|---|---|---|---|\n", part.title)
		seen := map[string]bool{}
		for i := range part.rules {
			r := &part.rules[i]
			if seen[r.path] {
				continue
			}
			seen[r.path] = true
			to := ""
			if r.target != "" {
				to = "`" + r.target + "`"
			}
			fmt.Fprintf(&b, "| `%s` | %s | %s | %s |\n", r.path, r.outcome, to, r.why)
		}
	}
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, _, ok := strings.Cut(string(text), begin)
	require.True(t, ok, "the page has no mark for the tables")
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(head+b.String()), 0o600))
		return
	}
	assert.Equal(t, head+b.String(), string(text))
}
