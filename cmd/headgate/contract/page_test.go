package contract_test

import (
	"flag"
	"fmt"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "rewrite docs/proof/control-plane.md")

// pagePath is the page that lists the test of each row.
var pagePath = filepath.Join("..", "..", "..", "docs", "proof", "control-plane.md")

const pageHead = `# Which test holds which row of the contract

Each row of the specification's tables and each of its numbered rules, by section, with the test that holds it. The list is
cmd/headgate/contract/testdata/contract.tsv; this page is made of it by ` + "`go test ./cmd/headgate/contract -run TestThePageIsCurrent -update`" + `.
Where the columns of databases say *held*, the row's own test runs over HTTP against a gateway on that database, and is run against a server
that answers ` + "`200 {}`" + ` to everything too, and on gateways that answer empty lists or other records of the same type, where it must fail; each answer is also held against the OpenAPI document. *elsewhere* is a row whose
tests stand in other packages and need no database of the two; those named like a path, ` + "`license/…`" + `, are of cmd/headgate/consoletest and drive the console with a browser.

`

func TestThePageIsCurrent(t *testing.T) {
	want := page(t)
	if *update {
		require.NoError(t, os.WriteFile(pagePath, []byte(want), 0o600))
	}
	have, err := os.ReadFile(pagePath)
	require.NoError(t, err)
	assert.Equal(t, want, string(have), "docs/proof/control-plane.md is not what contract.tsv says: run the test with -update")
}

// page returns the expected content of the page.
func page(t *testing.T) string {
	t.Helper()
	var b strings.Builder
	b.WriteString(pageHead)
	wait, section := listAwaited(t), ""
	counts := map[string]int{}
	for _, l := range lines(t) {
		if l.section != section {
			section = l.section
			fmt.Fprintf(&b, "## %s\n\n| id | row | SQLite | PostgreSQL | test |\n|---|---|---|---|---|\n", section)
		}
		state, test := "held", "`TestEachRowHoldsOn…/"+l.id+"`"
		switch {
		case len(l.held) > 0:
			state, test = "elsewhere", "`"+strings.Join(l.held, "` `")+"`"
		case wait[l.id] != "":
			state, test = "awaited", test+" "+wait[l.id]
		}
		counts[state]++
		fmt.Fprintf(&b, "| `%s` | %s | %s | %s | %s |\n", l.id, cell(l.says), state, state, test)
	}
	text := b.String()
	sum := fmt.Sprintf(
		"%d rows are held here, %d elsewhere; %d wait for what is not built.\n\n",
		counts["held"],
		counts["elsewhere"],
		counts["awaited"],
	)
	return strings.Replace(strings.ReplaceAll(text, " |\n## ", " |\n\n## "), "\n\n## ", "\n\n"+sum+"## ", 1)
}

// cell escapes a text for a table cell.
func cell(s string) string {
	return strings.NewReplacer("|", `\|`, "<", "&lt;", ">", "&gt;", "{{", "`{{`").Replace(s)
}
