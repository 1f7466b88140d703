package outbox_test

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/outbox"
)

func TestTheDocumentationNamesEveryTypeAndField(t *testing.T) {
	b, err := os.ReadFile("../../../docs/webhooks.md")
	require.NoError(t, err)
	var want strings.Builder
	for _, e := range outbox.ListTypes() {
		fields := make([]string, len(e.Fields))
		for i, f := range e.Fields {
			fields[i] = "`" + f.Name + "`"
		}
		want.WriteString("| `" + e.Name + "` | " + e.When + " | " + strings.Join(fields, ", ") + " |\n")
	}
	assert.Contains(t, string(b), want.String())
}
