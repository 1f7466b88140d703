package wasm_test

import (
	"fmt"
	"os"
	"path/filepath"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// tableVariable rewrites docs/plugin-sandbox.md with the measurements of this run.
const tableVariable = "HEADGATE_SANDBOX_TABLE"

// row is one guest in the table.
type row struct {
	guest, limit, outcome string
	tight, loose          seen
	broken                bool // it never ends, whatever the limits
}

const tableHead = `# What stops a hostile plugin

Written by ` + "`TestEachHostileGuestIsStoppedByTheLimitMeantForItAndByNoOther`" + ` with ` + "`" + tableVariable + `=1 go test -tags nomsgpack,grpcnotrace -run TestEachHostileGuest ./wasm` + "`" + `. Each guest is dropped into a plugins
folder and set off by a request that goes through a chain, twice: with the limit that is meant for it, which must stop it with the outcome in the table, and with that
limit out of the way, when it must come to its end: so it is this limit that stops it. After it the same module serves the next call, and another module is served too; the
resident memory of the process grows by no more than the guest's own limit and 32 MB. A guest that is cut is cut at the first or second look after its deadline. A stage with
` + "`hg_stream`" + ` is set off by a streamed answer, and the next call is the next answer. Where it says *no limit* the guest does what none lets pass.

The test fails where a guest, its limit or its outcome is not what stands here. The columns in *italics* were measured when the table was written, on a busy machine of
two cores: the time with the limit (deadlines are 10 ms) and without it, how long after its deadline a guest was cut, and by how much memory grew meanwhile.

`

// page returns the Markdown of the page.
func page(rows []row, measured bool) string {
	var b strings.Builder
	b.WriteString(tableHead)
	b.WriteString(
		"| guest | stopped by | outcome | without the limit | next call | *time* | *late by* | *time without* | *memory* |\n|---|---|---|---|---|---|---|---|---|\n",
	)
	for _, r := range rows {
		time, late, without, memory := "", "", "", ""
		if measured {
			time, without, memory = fmt.Sprintf(
				"%.1f ms",
				ms(r.tight.time),
			), fmt.Sprintf(
				"%.0f ms",
				ms(r.loose.time),
			), fmt.Sprintf(
				"%.1f MB",
				mb(r.tight.memory),
			)
			if r.tight.late > 0 {
				late = fmt.Sprintf("%.2f ms", ms(r.tight.late))
			}
		}
		ends := "ends"
		if r.broken {
			ends = "no limit"
		}
		fmt.Fprintf(&b, "| %s | %s | %s | %s | served | %s | %s | %s | %s |\n", r.guest, r.limit, r.outcome, ends, time, late, without, memory)
	}
	return b.String()
}

// measuredCells are the last four cells of a line.
var measuredCells = regexp.MustCompile(`(?m)^(\| .*? \| .*? \| .*? \| (?:ends|no limit) \| served \|).*$`)

// checkTable compares the page with the results of a run.
func checkTable(t *testing.T, rows []row) {
	t.Helper()
	file := filepath.Join("..", "docs", "plugin-sandbox.md")
	if os.Getenv(tableVariable) != "" {
		require.NoError(t, os.WriteFile(file, []byte(page(rows, true)), 0o644)) // documentation, so world-readable
	}
	was, err := os.ReadFile(file)
	require.NoError(t, err)
	plain := func(s string) string { return measuredCells.ReplaceAllString(s, "$1") }
	assert.Equal(
		t,
		plain(page(rows, false)),
		plain(string(was)),
		"docs/plugin-sandbox.md differs from this run: set %s=1 to rewrite it",
		tableVariable,
	)
}
