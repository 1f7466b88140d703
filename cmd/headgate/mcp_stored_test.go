package main_test

import (
	"io"
	"net/http"
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// sendTool sends a message of the modern era to a server, and returns the status and the answer; 0 and the error if none came.
func (g *gate) sendTool(server, method, params string) (status int, body string) {
	g.t.Helper()
	return g.sendToolAs("", server, method, params)
}

// sendToolAs is sendTool on behalf of the user of a token; "" for none.
func (g *gate) sendToolAs(user, server, method, params string) (status int, body string) {
	g.t.Helper()
	const meta = `{"_meta":{"io.modelcontextprotocol/protocolVersion":"2026-07-28","io.modelcontextprotocol/clientInfo":{"name":"t","version":"1"},` +
		`"io.modelcontextprotocol/clientCapabilities":{}}`
	text := `{"jsonrpc":"2.0","id":1,"method":"` + method + `","params":` + meta + params + `}}`
	req, err := http.NewRequestWithContext(g.t.Context(), http.MethodPost, "http://"+g.addr+strings.TrimSuffix("/mcp/"+server, "/"), strings.NewReader(text))
	if err != nil {
		return 0, err.Error()
	}
	for name, value := range map[string]string{
		"Authorization": "Bearer " + testKey, "Content-Type": "application/json", "Accept": "application/json, text/event-stream",
		"Mcp-Protocol-Version": "2026-07-28", "Mcp-Method": method,
	} {
		req.Header.Set(name, value)
	}
	if user != "" {
		req.Header.Set("X-User-Token", user)
	}
	if _, name, ok := strings.Cut(params, `"name":"`); ok {
		name, _, _ = strings.Cut(name, `"`)
		req.Header.Set("Mcp-Name", name)
	}
	res, err := http.DefaultClient.Do(req)
	if err != nil {
		return 0, err.Error()
	}
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	if err != nil {
		return 0, err.Error()
	}
	return res.StatusCode, string(b)
}

// callsFind calls the tool of a server, and reports whether it has answered.
func (g *gate) callsFind(server, tool string) bool {
	status, body := g.sendTool(server, "tools/call", `,"name":"`+tool+`","arguments":{"text":"jane"}`)
	return status == 200 && strings.Contains(body, "found jane")
}

func TestAServerThatIsARecordServesAtOnceAndUntilItIsDeleted(t *testing.T) {
	t.Parallel()
	s := newHookSite(t)
	url, _ := newToolServer(t)
	s.withTools(url, "")
	g := s.serve("--config", "gateway.yaml")
	require.True(t, g.callsFind("peer", "find"))
	status, _ := g.sendTool("web", "tools/list", "")
	assert.Equal(t, 404, status, "there is no such server yet")

	g.admin(201, "POST", "/mcp-servers", `{"name":"web","url":"`+url+`","price_per_call":0.25,"headers":{"X-Api-Key":"of-the-record"}}`)
	eventually(t, "it is served", func() bool { return g.callsFind("web", "find") })
	server := g.admin(200, "GET", "/mcp-servers/web", "")
	assert.Equal(t, "ANSWERING", server["health"])
	assert.Equal(t, "modern", server["era"])
	checked := g.admin(200, "POST", "/mcp-servers/web/check", "")
	assert.Equal(t, "PINNED", checked["tool_list"].([]any)[0].(map[string]any)["state"])
	status, list := g.sendTool("", "tools/list", "")
	assert.Equal(t, 200, status)
	assert.Contains(t, list, `"web__find"`, "it is part of the server of all servers")

	g.admin(400, "POST", "/virtual-servers", `{"name":"team","servers":[{"server":"missing"}]}`)
	g.admin(201, "POST", "/virtual-servers", `{"name":"team","servers":[{"server":"web"},{"server":"peer"}]}`)
	eventually(t, "members are called", func() bool { return g.callsFind("team", "web__find") && g.callsFind("team", "peer__find") })
	_, list = g.sendTool("team", "tools/list", "")
	assert.Less(t, strings.Index(list, `"web__find"`), strings.Index(list, `"peer__find"`), "members are listed in their order")
	g.admin(200, "PUT", "/virtual-servers/team", `{"servers":[{"server":"web","tools":["other"]},{"server":"peer"}]}`)
	eventually(t, "a tool is taken out", func() bool { return !g.callsFind("team", "web__find") })
	require.True(t, g.callsFind("web", "find"), "the member itself keeps it")
	refused := g.admin(409, "DELETE", "/mcp-servers/web", "")
	assert.Contains(t, refused["error"].(map[string]any)["message"], "team")

	g.admin(200, "PUT", "/mcp-servers/web", `{"access":[{"tenants":["nobody"]}]}`)
	eventually(t, "the key is denied access", func() bool { return !g.callsFind("web", "find") })
	g.admin(200, "PUT", "/mcp-servers/web", `{"access":[{}],"price_per_call":0.5}`)
	eventually(t, "it may again", func() bool { return g.callsFind("web", "find") })
	tool := g.admin(200, "GET", "/mcp-servers/web/tools/find", "")
	assert.InDelta(t, 0.5, tool["price"], 0)
	f := s.run("mcp", "list", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Regexp(t, `peer +first_use +keep`, f.out)
	assert.Regexp(t, `web +first_use +keep +1 +0 +0\.5`, f.out)
	f = s.run("mcp", "inspect", "web", "--ask", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "find")
	g.stop()

	g = s.serve("--config", "gateway.yaml")
	require.True(t, g.callsFind("web", "find"), "the database keeps it")
	require.True(t, g.callsFind("team", "peer__find"))
	g.admin(200, "PUT", "/mcp-servers/web", `{"enabled":false}`)
	eventually(t, "it is disabled", func() bool { status, _ := g.sendTool("web", "tools/list", ""); return status == 404 })
	require.True(t, g.callsFind("team", "peer__find"), "the other member stays")
	g.admin(204, "DELETE", "/virtual-servers/team", "")
	eventually(t, "it is gone", func() bool { status, _ := g.sendTool("team", "tools/list", ""); return status == 404 })
	g.admin(204, "DELETE", "/mcp-servers/web", "")
	g.admin(201, "POST", "/mcp-servers", `{"name":"web","url":"`+url+`","access":[{"tenants":["nobody"]}]}`)
	g.admin(200, "GET", "/mcp-servers/web", "")
	require.True(t, g.callsFind("peer", "find"), "the server of the file stays")
	g.stop()
	assert.NotContains(t, g.out.String(), "of-the-record")
}

func TestCallsOfAServerThatIsDeletedMeanwhileAreAnsweredOrUnknown(t *testing.T) {
	t.Parallel()
	s := newHookSite(t)
	url, _ := newToolServer(t)
	s.withTools(url, "")
	g := s.serve("--config", "gateway.yaml")
	stop := make(chan struct{})
	var callers sync.WaitGroup
	seen := make([]map[int]int, 4)
	for i := range seen {
		seen[i] = map[int]int{}
		callers.Go(func() {
			for {
				select {
				case <-stop:
					return
				default:
				}
				status, body := g.sendTool("web", "tools/call", `,"name":"find","arguments":{"text":"jane"}`)
				if status == 200 && !strings.Contains(body, "found jane") {
					status = 0
				}
				seen[i][status]++
			}
		})
	}
	for range 5 {
		g.admin(201, "POST", "/mcp-servers", `{"name":"web","url":"`+url+`"}`)
		eventually(t, "it is served", func() bool { return g.callsFind("web", "find") })
		g.admin(204, "DELETE", "/mcp-servers/web", "")
		eventually(t, "it is gone", func() bool { return !g.callsFind("web", "find") })
	}
	close(stop)
	callers.Wait()
	for _, statuses := range seen {
		for status, n := range statuses {
			assert.Contains(t, []int{200, 404}, status, "%d times", n)
		}
	}
	g.stop()
}

func TestAStoredServerMustNotBeAtAPrivateAddress(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: pii\n")))
	g := s.serve("--config", "gateway.yaml")
	for _, url := range []string{"http://mcp.example.com/", "https://127.0.0.1/", "https://10.0.0.1/", "https://169.254.169.254/", "https://[::1]/"} {
		g.admin(400, "POST", "/mcp-servers", `{"name":"web","url":"`+url+`"}`)
		g.admin(400, "POST", "/mcp-servers", `{"name":"web","url":"https://a.example.com/","openapi_operations":["*"],"openapi_url":"`+url+`"}`)
	}
	g.admin(400, "POST", "/mcp-servers", `{"name":"web","command":"/bin/sh"}`)
	g.stop()
}
