package schema

import (
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestTheSettingsOfTheDocumentationAreTaken(t *testing.T) {
	text, err := os.ReadFile("../../docs/output-schemas.md")
	require.NoError(t, err)
	_, rest, ok := strings.Cut(string(text), "```yaml\n")
	require.True(t, ok)
	example, _, ok := strings.Cut(rest, "```")
	require.True(t, ok)
	type link struct {
		Stage  string
		Config yaml.Node
	}
	var file struct{ Chain []link }
	require.NoError(t, yaml.Unmarshal([]byte(example), &file))
	i := slices.IndexFunc(file.Chain, func(l link) bool { return l.Stage == Name })
	require.NotEqual(t, -1, i)
	config, err := yaml.Marshal(&file.Chain[i].Config)
	require.NoError(t, err)
	st, err := New(block(config), nil)
	require.NoError(t, err)
	require.Len(t, st.(*Stage).schemas, 1)
}
