package audit

import (
	"flag"
	"fmt"
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

var update = flag.Bool("update", false, "write the list of types into docs/audit.md")

const page = "../../../docs/audit.md"

// formatTypes is the page's list of types.
func formatTypes() string {
	var b strings.Builder
	for _, t := range ListTypes() {
		fmt.Fprintf(&b, "### %s\n\n%s.\n\n", t.Name, strings.ToUpper(t.Meaning[:1])+t.Meaning[1:])
		if len(t.Fields) > 0 {
			b.WriteString("| field | meaning |\n|---|---|\n")
		}
		for _, f := range t.Fields {
			fmt.Fprintf(&b, "| `%s` | %s |\n", f.Name, strings.ReplaceAll(f.Meaning, "|", "\\|"))
		}
		if len(t.Fields) > 0 {
			b.WriteString("\n")
		}
	}
	return b.String()
}

// The page is checked; with -update its list is written.
func TestThePageListsEveryTypeAndField(t *testing.T) {
	const mark = "no keys and no values of personal data.\n\n"
	text, err := os.ReadFile(page)
	require.NoError(t, err)
	head, tail, ok := strings.Cut(string(text), mark)
	require.True(t, ok)
	if *update {
		require.NoError(t, os.WriteFile(page, []byte(head+mark+strings.TrimRight(formatTypes(), "\n")+"\n"), 0o644))
		return
	}
	assert.Equal(t, strings.TrimSpace(formatTypes()), strings.TrimSpace(tail), "run: go test ./core/records/audit -run TestThePage -update")
}

func TestTypesAndFieldsAreNamedOnce(t *testing.T) {
	types := map[string]bool{}
	for _, e := range ListTypes() {
		assert.False(t, types[e.Name], e.Name)
		types[e.Name] = true
		fields := map[string]bool{}
		for _, f := range e.Fields {
			assert.False(t, fields[f.Name], "%s.%s", e.Name, f.Name)
			fields[f.Name] = true
			assert.NotEmpty(t, f.Meaning)
		}
	}
	assert.Empty(t, ListUnknown(PolicyDecision, []byte(`{"decision":"DENIED"}`)))
	assert.Equal(t, []string{"POLICY_DECISION.colour"}, ListUnknown(PolicyDecision, []byte(`{"colour":"red"}`)))
	assert.Equal(t, []string{"SOMETHING"}, ListUnknown("SOMETHING", []byte(`{}`)))
}

// What the chain writes of itself is in the list too.
func TestTheChainsOwnRecordsAreListed(t *testing.T) {
	var p Payload
	c, err := newChain("n", testKey)
	require.NoError(t, err)
	appendCheckpoint(&p, "n", &c.head, c.key, c.keyID, `[{"node":"b","seq":1,"hash":""}]`)
	assert.Empty(t, ListUnknown(ChainCheckpoint, p.Bytes()))
}
