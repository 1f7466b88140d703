package node

import (
	"fmt"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/project/guests"
	"github.com/headgate-dev/headgate/sdk/stagetest"
)

// conformVariable makes the test rewrite docs/plugin-conformance.md.
const conformVariable = "HEADGATE_CONFORMANCE_TABLE"

// conformed is the conformance result of an adapter.
type conformed struct {
	name   string
	phases []core.Phase
	rules  []stagetest.Held
}

const conformHead = `# Which stages keep the contract

Written by ` + "`TestTheAdapterOfEachKindOfStageConforms`" + ` with ` + "`" + conformVariable + `=1 go test -tags nomsgpack,grpcnotrace -run TestTheAdapterOfEachKind ./cmd/headgate/node` + "`" + `.

Every kind of stage is made of a link, as the gateway makes it, and held against the same suite, ` + "`stagetest.Conform`" + `: however a stage is built and wherever it runs, the chain may rely on
the same rules. The test fails where a rule is broken, where a kind of link or a sample has no row, and where this page is not what it saw. A **-** is a rule that says nothing about the adapter; the letter
tells why.

`

func conformPage(rows []conformed) string {
	var b, table strings.Builder
	b.WriteString(conformHead)
	b.WriteString("| | rule |\n|---|---|\n")
	table.WriteString("\n| adapter | phases |")
	for i, h := range rows[0].rules {
		fmt.Fprintf(&b, "| %d | %s |\n", i+1, h.Rule)
		fmt.Fprintf(&table, " %d |", i+1)
	}
	table.WriteString("\n|---|---|" + strings.Repeat("---|", len(rows[0].rules)) + "\n")
	var reasons []string
	for _, r := range rows {
		var phases []string
		for _, p := range r.phases {
			phases = append(phases, p.String())
		}
		fmt.Fprintf(&table, "| %s | %s |", r.name, strings.Join(phases, ", "))
		for _, h := range r.rules {
			if h.Holds {
				table.WriteString(" holds |")
				continue
			}
			at := slices.Index(reasons, h.None)
			if at < 0 {
				at, reasons = len(reasons), append(reasons, h.None)
			}
			fmt.Fprintf(&table, " - %c |", 'a'+at)
		}
		table.WriteString("\n")
	}
	b.WriteString(table.String() + "\n")
	for i, reason := range reasons {
		fmt.Fprintf(&b, "* %c: %s\n", 'a'+i, reason)
	}
	return b.String()
}

// checkConformPage compares the page with the results of a run.
func checkConformPage(t *testing.T, rows []conformed) {
	t.Helper()
	root, err := guests.Root()
	require.NoError(t, err)
	file := filepath.Join(root, "docs", "plugin-conformance.md")
	now := conformPage(rows)
	if os.Getenv(conformVariable) != "" {
		require.NoError(t, os.WriteFile(file, []byte(now), 0o644)) // a public page
	}
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	assert.Equal(t, now, string(was), "docs/plugin-conformance.md differs from this run: set %s=1 to rewrite it", conformVariable)
}
