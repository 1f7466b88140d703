package main_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/modelcontextprotocol/go-sdk/mcp"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withKey adds the key of a site to each request.
type withKey struct{}

func (withKey) RoundTrip(r *http.Request) (*http.Response, error) {
	r = r.Clone(r.Context())
	r.Header.Set("Authorization", "Bearer "+testKey)
	return http.DefaultTransport.RoundTrip(r)
}

func TestTheRetryLoopOfTheSDKRunsAnApprovedCall(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	url, _ := newToolServer(t)
	s.withTools(url, "")
	g := s.serve("--config", "gateway.yaml")
	policy := g.admin(201, "POST", "/policies", `{"name":"calls","dsl":"rules: [{id: ask, conditions: {tool.name: [find]},`+
		` action: REQUIRE_APPROVAL, deny_message: Ask first.}]"}`)
	g.admin(200, "POST", "/policies/"+policy["id"].(string)+"/status", `{"status":"ACTIVE"}`)
	eventually(t, "the policy is in force", func() bool {
		status, _ := g.sendTool("peer", "tools/call", `,"name":"find","arguments":{"text":"x"}`)
		return status == 403
	})
	var approves bool
	asked := 0
	c := mcp.NewClient(&mcp.Implementation{Name: "client", Version: "1"}, &mcp.ClientOptions{
		ElicitationHandler: func(_ context.Context, r *mcp.ElicitRequest) (*mcp.ElicitResult, error) {
			asked++
			assert.Contains(t, r.Params.Message, "Ask first. This call needs the approval ")
			if approves {
				for _, p := range g.admin(200, "GET", "/approvals?status=PENDING", "")["data"].([]any) {
					g.admin(200, "POST", "/approvals/"+p.(map[string]any)["id"].(string)+"/approve", `{}`)
				}
			}
			return &mcp.ElicitResult{Action: "accept"}, nil
		},
	})
	session, err := c.Connect(t.Context(), &mcp.StreamableClientTransport{
		Endpoint: "http://" + g.addr + "/mcp/peer", HTTPClient: &http.Client{Transport: withKey{}}, DisableStandaloneSSE: true,
	}, nil)
	require.NoError(t, err)
	t.Cleanup(func() { _ = session.Close() })
	call := func() (*mcp.CallToolResult, error) {
		return session.CallTool(t.Context(), &mcp.CallToolParams{Name: "find", Arguments: map[string]any{"text": "jane"}})
	}
	_, err = call()
	require.Error(t, err, "accepted before anybody has approved it")
	assert.Equal(t, 1, asked, "and not asked again and again: %v", err)
	approves = true
	var result *mcp.CallToolResult
	eventually(t, "the call runs after its approval", func() bool {
		result, err = call()
		return err == nil
	})
	assert.Equal(t, "found jane", result.Content[0].(*mcp.TextContent).Text)
}
