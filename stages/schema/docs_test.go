package schema

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
)

func TestTheSettingsOfTheDocumentationAreTaken(t *testing.T) {
	text, err := os.ReadFile("../../docs/output-schemas.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(text), "```yaml\n")
	require.True(t, ok)
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	var file struct {
		Chain []struct {
			Stage  string
			Config yaml.Node
		}
	}
	require.NoError(t, yaml.Unmarshal([]byte(example), &file))
	config, err := yaml.Marshal(&file.Chain[2].Config)
	require.NoError(t, err)
	st, err := New(block(config), core.Deps{})
	require.NoError(t, err)
	require.Len(t, st.(*Stage).schemas, 1)
}
