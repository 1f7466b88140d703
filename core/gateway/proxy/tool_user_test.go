package proxy_test

import (
	"context"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

func TestOnlyServersThatAreCalledForUsersBindASessionToOne(t *testing.T) {
	for name, c := range map[string]struct {
		perUser bool
		token   string
		status  int
	}{
		"a server without users, another token": {false, "refreshed", 204},
		"a server without users, two tokens":    {false, "", 204},
		"a server with users, the same token":   {true, "first", 204},
		"a server with users, another token":    {true, "refreshed", 404},
		"a server with users, no token":         {true, "", 400},
	} {
		t.Run(name, func(t *testing.T) {
			up := newFake(t, says("HTTP/1.1 204 x\r\nConnection: close\r\n\r\n"))
			g := openToolsWith(t, up.url, setup{}, func(s *tools.Server) { s.PerUser = c.perUser })
			p := &core.Principal{Tenant: "tenant-a", KeyID: "id-dev", Lineage: "id-dev"}
			if c.perUser {
				p.User = tools.DigestUserToken("first")
			}
			s := &tools.Server{Name: "peer", Sessions: sessionBox(t)}
			r := g.request("dev", http.NoBody, "Mcp-Session-Id", s.SealSession(p, "s-1"))
			r.Method, r.URL.Path = http.MethodDelete, "/mcp/peer"
			switch {
			case c.token != "":
				r.Header.Set(tools.HeaderUserToken, c.token)
			case !c.perUser:
				r.Header[tools.HeaderUserToken] = []string{"one", "two"}
			}
			a := g.do(r)
			assert.Equal(t, c.status, a.status, a.body)
			if c.status != 204 {
				assert.Empty(t, up.requests(), "nothing is sent")
			}
		})
	}
}

// notesRequest notes where a request came from, and what for.
type notesRequest struct{ path, peer *string }

func (n notesRequest) Check(_ context.Context, x *core.Exchange, _ core.Phase, _ any) (core.Verdict, error) {
	*n.path, *n.peer = x.Request.Path, x.Request.Peer
	return core.Verdict{Action: core.Pass}, nil
}

func TestStagesSeeThePathAndTheAddressOfACallOfATool(t *testing.T) {
	var path, peer string
	links := []chain.Link{link("notes", notesRequest{&path, &peer}, core.Request)}
	up := newFake(t, says(toolJSON(toolResult("done"))))
	g := openToolsWith(t, up.url, setup{links: links}, modern)
	require.Equal(t, 200, g.callTool("dev", "echo", "x").status)
	assert.Equal(t, "/mcp/peer", path)
	assert.Equal(t, "127.0.0.1", peer)
}
