package proxy_test

import (
	"fmt"
	"io"
	"net"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// toolNames are 20 names, five for each kind of access.
func toolNames() (names []string) {
	for _, kind := range []string{"find", "read", "write", "admin"} {
		for i := range 5 {
			names = append(names, fmt.Sprintf("%s_%d", kind, i))
		}
	}
	return names
}

// answerTools answers lists with all names, and calls with the tool's name.
func answerTools(c net.Conn, r sent) {
	reply := toolResult("called")
	if r.header.Get("Mcp-Method") == "tools/list" {
		definitions := make([]string, 0, 20)
		for _, name := range toolNames() {
			definitions = append(definitions, fmt.Sprintf(`{"name":%q,"inputSchema":{"type":"object"}}`, name))
		}
		reply = `{"jsonrpc":"2.0","id":7,"result":{"resultType":"complete","ttlMs":0,"cacheScope":"public","tools":[` +
			strings.Join(definitions, ",") + `]}}`
	}
	_, _ = io.WriteString(c, toolJSON(reply))
}

func TestEachKeyCanCallExactlyTheToolsThatItsListShows(t *testing.T) {
	up := newFake(t, answerTools)
	g := openToolsWith(t, up.url, setup{chain: redacting(t, "")}, func(s *tools.Server) {
		modern(s)
		s.Tools = []string{"find_*", "read_*", "write_*", "admin_0"}
		s.Access = []tools.Access{
			{Tools: []string{"find_*"}},
			{Tenants: []string{"tenant-a"}, Keys: []string{"id-dev", "id-other"}, Tools: []string{"read_*", "admin_*"}},
			{Keys: []string{"id-dev"}, Tools: []string{"write_1", "WRITE_2"}},
			{Tenants: []string{"tenant-b"}},
		}
	})
	want := map[string]int{"dev": 12, "other": 11, "premium": 5, "bulk": 5, "foreign": 16}
	for key, served := range want {
		list := g.sendTool(key, "tools/list", "", `{"jsonrpc":"2.0","id":7,"method":"tools/list","params":{`+meta+`}}`)
		require.Equal(t, 200, list.status, list.body)
		assert.Contains(t, list.body, `"cacheScope":"private"`, "caches must not share this list")
		callable := 0
		for _, name := range toolNames() {
			before := len(up.requests())
			a := g.callTool(key, name, "x")
			listed := strings.Contains(list.body, `"name":"`+name+`"`)
			assert.Equal(t, listed, a.status == 200, "%s calls %s: %d %s", key, name, a.status, a.body)
			assert.Equal(t, listed, len(up.requests()) > before, "%s reaches %s", key, name)
			if listed {
				callable++
			}
		}
		assert.Equal(t, served, callable, key)
	}
}
