package mcp

import (
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"testing"

	sdk "github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/dialect/mcp"
)

func TestTheGatewayListsAllPagesInBothEras(t *testing.T) {
	for era, stateless := range map[mcp.Era]bool{mcp.Modern: true, mcp.Legacy: false} {
		t.Run(era.String(), func(t *testing.T) {
			s := sdk.NewServer(&sdk.Implementation{Name: "peer", Version: "1"}, &sdk.ServerOptions{PageSize: 4})
			for i := range 10 {
				sdk.AddTool(s, &sdk.Tool{Name: fmt.Sprintf("tool_%d", i)}, func(context.Context, *sdk.CallToolRequest, struct{}) (*sdk.CallToolResult, any, error) {
					return nil, nil, nil
				})
			}
			srv := httptest.NewServer(sdk.NewStreamableHTTPHandler(func(*http.Request) *sdk.Server { return s }, &sdk.StreamableHTTPOptions{Stateless: stateless}))
			t.Cleanup(srv.Close)
			v, err := New(Settings{URL: srv.URL, AllowPrivate: true})
			require.NoError(t, err)
			t.Cleanup(func() { _ = v.Close() })
			var names []string
			pages := 0
			err = v.ListTools(t.Context(), era, func(doc []byte, list []mcp.Definition) error {
				pages++
				for _, d := range list {
					assert.Contains(t, string(doc[d.At.Start:d.At.End]), d.Name)
					names = append(names, d.Name)
				}
				return nil
			})
			require.NoError(t, err)
			assert.Len(t, names, 10)
			assert.Equal(t, 3, pages)
		})
	}
}
