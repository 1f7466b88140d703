package cache

import (
	"os"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

func TestTheSettingsOfTheDocumentationAreTaken(t *testing.T) {
	text, err := os.ReadFile("../../docs/cache.md")
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
	config, err := yaml.Marshal(&file.Chain[1].Config)
	require.NoError(t, err)
	st, err := New(block(config), Deps{})
	require.NoError(t, err)
	usual, err := New(nil, Deps{})
	require.NoError(t, err)
	documented, standard := st.(*Stage).settings, usual.(*Stage).settings
	require.NotNil(t, documented.MaxTemperature)
	documented.MaxTemperature = nil
	require.Equal(t, standard, documented, "the page shows the defaults")
}
