package proxy_test

import (
	"context"
	"net"
	"testing"
	"time"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// toolNamesOf returns the names of the tools of a server as a client sees them.
func toolNamesOf(ctx context.Context, t *testing.T, s *sdk.ClientSession) (names []string, meta sdk.Meta) {
	t.Helper()
	list, err := s.ListTools(ctx, nil)
	require.NoError(t, err)
	for _, tool := range list.Tools {
		names = append(names, tool.Name)
	}
	return names, list.Meta
}

// dead returns an address where nothing listens.
func dead(t *testing.T) (url string) {
	t.Helper()
	l, err := net.Listen("tcp", "127.0.0.1:0")
	require.NoError(t, err)
	require.NoError(t, l.Close())
	return "http://" + l.Addr().String()
}

func TestAVirtualServerListsWhatAnswersAndRoutesCalls(t *testing.T) {
	for _, version := range []string{dialect.ModernVersion, dialect.LegacyVersion} {
		t.Run(version, func(t *testing.T) {
			urls := map[string]string{"c": dead(t)}
			for i, name := range []string{"a", "b", "d", "e"} {
				urls[name], _ = askingPeer(t, i%2 == 0)
			}
			g := openJoined(t, urls, func(s tools.Servers) {
				for name, server := range s {
					if server.Members == nil {
						server.Era = dialect.Legacy
						if name == "a" || name == "d" || name == "c" {
							server.Era = dialect.Modern
						}
					}
				}
				s["all"].Members[1].Tools = []string{"plain"}
			}, "a", "b", "c", "d", "e")
			s := talk(t, g, "all", version)
			ctx, cancel := context.WithTimeout(t.Context(), generous)
			defer cancel()
			names, meta := toolNamesOf(ctx, t, s)
			assert.Equal(t, []string{"a__greet", "a__plain", "b__plain", "d__greet", "d__plain", "e__greet", "e__plain"}, names)
			assert.Equal(t, []any{"c"}, meta["headgate.dev/unavailable"])
			for _, tool := range []string{"a__greet", "e__greet"} {
				got, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
				assert.Equal(t, "hello Jo", resultText(t, got, err), tool)
			}
			for _, tool := range []string{"b__greet", "x__plain", "plain", "all__plain"} {
				_, err := s.CallTool(ctx, &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
				assert.Error(t, err, tool)
			}
			prompt, err := s.GetPrompt(ctx, &sdk.GetPromptParams{Name: "b__review"})
			require.NoError(t, err)
			assert.Len(t, prompt.Messages, 1)
			resources, err := s.ListResources(ctx, nil)
			require.NoError(t, err)
			require.Len(t, resources.Resources, 4)
			for _, r := range resources.Resources {
				note, err := s.ReadResource(ctx, &sdk.ReadResourceParams{URI: r.URI})
				require.NoError(t, err, r.URI)
				assert.Equal(t, "a note", note.Contents[0].Text)
				assert.Equal(t, r.URI, note.Contents[0].URI)
			}
		})
	}
}

func TestASecondServerRenamesNoTool(t *testing.T) {
	first, _ := askingPeer(t, true)
	second, _ := askingPeer(t, true)
	urls := map[string]string{"a": first, "b": second, "gone": dead(t)}
	modernise := func(s tools.Servers) {
		for _, server := range s {
			server.Era = dialect.Modern
		}
	}
	alone, _ := toolNamesOf(t.Context(), t, talk(t, openJoined(t, urls, modernise, "a"), "all", dialect.ModernVersion))
	both, _ := toolNamesOf(t.Context(), t, talk(t, openJoined(t, urls, modernise, "a", "b", "gone"), "all", dialect.ModernVersion))
	assert.Equal(t, []string{"a__greet", "a__plain"}, alone)
	assert.Equal(t, append(alone, "b__greet", "b__plain"), both)
}

func TestAVirtualServerKeepsTheRulesOfItsMembers(t *testing.T) {
	url, _ := askingPeer(t, true)
	g := openJoined(t, map[string]string{"a": url, "b": url}, func(s tools.Servers) {
		s["a"].Era, s["b"].Era = dialect.Modern, dialect.Modern
		s["a"].Tools = []string{"plain"}
		s["b"].Access = []tools.Access{{Keys: []string{"id-other"}}}
	}, "a", "b")
	s := talk(t, g, "all", dialect.ModernVersion)
	names, _ := toolNamesOf(t.Context(), t, s)
	assert.Equal(t, []string{"a__plain"}, names)
	for _, tool := range []string{"a__greet", "b__plain"} {
		_, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: tool, Arguments: map[string]any{}})
		assert.Error(t, err, tool)
	}
	got, err := s.CallTool(t.Context(), &sdk.CallToolParams{Name: "a__plain", Arguments: map[string]any{}})
	assert.Equal(t, "hello world", resultText(t, got, err))
	require.Eventually(t, func() bool {
		for _, r := range g.records() {
			if r.payload["mcp_tool"] == "plain" && r.payload["mcp_server"] == "a" {
				return true
			}
		}
		return false
	}, generous, 5*time.Millisecond, "records know the tool by its own name")
	empty := openJoined(t, map[string]string{"gone": dead(t)}, func(s tools.Servers) { s["gone"].Era = dialect.Modern }, "gone")
	_, err = talk(t, empty, "all", dialect.ModernVersion).ListTools(t.Context(), nil)
	assert.Error(t, err, "an empty list would say that there are no tools")
}
