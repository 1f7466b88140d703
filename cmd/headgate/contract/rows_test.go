// Package contract_test holds the contract: testdata/contract.tsv has a row for each row of the specification's tables
// and each of its numbered rules, and each row has a test that names it. A row's test sends HTTP requests to a gateway
// that runs as a process, once on SQLite and once on PostgreSQL. A test that cannot fail proves nothing: the same test also
// runs against a server that answers `200 {}` to everything, and against gateways whose answers are replaced, once by
// empty lists and once by other records of the same type. It must fail on each of them.
package contract_test

import (
	"bufio"
	"bytes"
	"os"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// line is one line of contract.tsv.
type line struct {
	id, section, says string
	held              []string // names of tests in other packages; none: the row has a test here
}

// lines are the rows of the contract, in the order of the specification.
func lines(t testing.TB) (out []line) {
	t.Helper()
	for n, cells := range table(t, "contract.tsv") {
		require.Len(t, cells, 4, "line %d of contract.tsv has id, section, row and tests, with tabs between them", n+1)
		out = append(out, line{cells[0], cells[1], cells[2], strings.Fields(cells[3])})
	}
	return out
}

// listAwaited returns the rows whose tests fail on a gateway because a feature is not built yet, with the reason.
func listAwaited(t testing.TB) map[string]string {
	t.Helper()
	out := map[string]string{}
	for n, cells := range table(t, "awaited.tsv") {
		require.Len(t, cells, 2, "line %d of awaited.tsv has an id and a reason, with a tab between them", n+1)
		out[cells[0]] = cells[1]
	}
	return out
}

// table reads a file of tab-separated cells. Lines that start with # are comments.
func table(t testing.TB, name string) (out [][]string) {
	t.Helper()
	text, err := os.ReadFile(filepath.Join("testdata", name))
	require.NoError(t, err)
	scan := bufio.NewScanner(bytes.NewReader(text))
	for scan.Scan() {
		if l := scan.Text(); l != "" && !strings.HasPrefix(l, "#") {
			out = append(out, strings.Split(l, "\t"))
		}
	}
	require.NoError(t, scan.Err())
	return out
}

// row is the test of one row.
type row func(*T)

// rows are tests by the ids of their rows.
type rows map[string]row

// tests are all tests of this package. One file holds the tests of one resource.
func tests(t testing.TB) rows {
	t.Helper()
	all := rows{}
	for _, of := range []rows{
		recordRows, tenantRows, keyRows, providerRows, routeRows, policyRows, pricingRows, costRows, budgetRows,
		chargebackRows, schemaRows, auditRows, reportRows, piiRows, webhookRows, pluginRows, licenseRows, tokenRows, issuerRows,
		roleRows, internalRows, siteRows, headerRows, trafficRows, errorRows, documentRows, listRows, configRows,
	} {
		for id, test := range of {
			assert.Nil(t, all[id], "two tests have the id %s", id)
			all[id] = test
		}
	}
	return all
}

func TestEachRowHasATestAndEachTestARow(t *testing.T) {
	here, elsewhere, seen := tests(t), listTests(t), map[string]bool{}
	for _, l := range lines(t) {
		assert.False(t, seen[l.id], "%s appears twice", l.id)
		seen[l.id] = true
		assert.Regexp(t, `^[a-z0-9_]+(\.[a-zA-Z0-9_]+)+$`, l.id)
		assert.NotEmpty(t, l.says, l.id)
		if len(l.held) == 0 {
			assert.NotNil(t, here[l.id], "no test holds %s: %s", l.id, l.says)
			continue
		}
		assert.Nil(t, here[l.id], "%s names tests elsewhere, and has one here", l.id)
		for _, name := range l.held {
			assert.True(t, elsewhere[name], "%s names %s, which does not exist", l.id, name)
		}
	}
	for id := range here {
		assert.True(t, seen[id], "the test of %q holds no row of contract.tsv", id)
	}
	for id, why := range listAwaited(t) {
		assert.NotNil(t, here[id], "awaited.tsv names %s, which is not a row with a test here", id)
		assert.NotEmpty(t, why, "awaited.tsv says of each row why it is")
	}
}
