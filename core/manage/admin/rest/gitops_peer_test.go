package rest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAnImportChangesAgentsAndServersByTheirNames(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/config/import"
		a.tools.offer("search", "find", "finds people") // in the file
		doc := `{"mcp_servers":[{"id":"web","url":"https://mcp.example.com/","headers":{"X-Api-Key":"secret-one-two"}}],` +
			`"virtual_servers":[{"id":"team","servers":[{"server":"web"},{"server":"search"}]}],` +
			`"agents":[{"id":"planner","url":"https://agents.example.com/x"}]}`
		a.do("POST", path, doc).is(200)
		assert.Equal(t, 0, a.do("POST", path, doc).is(200).len("changes"), "sealed headers are not compared")
		assert.Contains(t, a.do("GET", "/admin/v1/mcp-servers/web", nil).is(200).text, `"header_names":["X-Api-Key"]`)
		moved := strings.Replace(doc, "https://mcp.example.com/", "https://mcp.example.com/v2", 1)
		assert.Equal(t, []any{"url"}, a.do("POST", path, moved).is(200).field("changes", 0, "fields"), "the headers go along")
		bare := `{"mcp_servers":[{"id":"web","url":"https://mcp.example.com/v3"}]}`
		assert.Contains(t, a.do("POST", path, bare).requireRefusal(409, "conflict"), "headers")
		a.do("POST", path, `{"mcp_servers":[{"id":"search","url":"https://mcp.example.com/"}]}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.do("POST", path, `{"mcp_servers":[{"id":"x","url":"https://mcp.example.com/?key=x"}]}`).requireRefusal(400, "invalid_value")
		a.do("POST", path, `{"mcp_servers":[{"id":"x","command":"/bin/sh"}]}`).requireRefusal(400, "invalid_value")
		gone := a.do("POST", path+"?prune=true", `{"mcp_servers":[],"virtual_servers":[],"agents":[]}`).is(200)
		assert.Equal(t, "agents", gone.str("changes", 0, "kind"))
		assert.Equal(t, "mcp_servers", gone.str("changes", 2, "kind"), "servers go after the virtual ones that name them")
	})
}

func TestAnImportIsRefusedWholeForWhatIsWrongWithAnAgentOrAServer(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/config/import"
		a.tools.offer("search", "find", "finds people") // in the file
		a.do("POST", path, `{"mcp_servers":[{"id":"web","url":"https://mcp.example.com/","headers":{"X-Api-Key":"x"}},`+
			`{"id":"used","url":"https://mcp.example.com/"}],`+
			`"virtual_servers":[{"id":"team","servers":[{"server":"used"}]}],`+
			`"agents":[{"id":"planner","url":"https://agents.example.com/x","headers":{"X-Api-Key":"x"}}]}`).is(200)
		a.subscribers.publicOnly.Store(true)
		const server, agent = `"mcp_servers":[{"id":"x","url":"https://mcp.example.com/"`, `"agents":[{"id":"x","url":"https://agents.example.com/"`
		for name, c := range map[string]struct {
			records, says string
			status        int
		}{
			"a server's name with two underscores": {`"mcp_servers":[{"id":"a__b","url":"https://mcp.example.com/"}]`, "mcp_servers[0].id: ", 400},
			"a virtual name that ends in one":      {`"virtual_servers":[{"id":"a_","servers":[{"server":"web"}]}]`, "virtual_servers[0].id: ", 400},
			"an agent's name that is too long": {
				`"agents":[{"id":"` + strings.Repeat("x", 65) + `","url":"https://agents.example.com/"}]`, "agents[0].id: ", 400,
			},
			"a name of the file":             {`"virtual_servers":[{"id":"search","servers":[{"server":"web"}]}]`, "virtual_servers[0]: ", 409},
			"a name of the other kind":       {`"virtual_servers":[{"id":"web","servers":[{"server":"search"}]}]`, "virtual_servers[0]: ", 409},
			"a name of a virtual server":     {`"mcp_servers":[{"id":"team","url":"https://mcp.example.com/"}]`, "mcp_servers[0]: ", 409},
			"a name of both in the document": {server + `}],"virtual_servers":[{"id":"x","servers":[{"server":"search"}]}]`, "mcp_servers[0]: ", 409},
			"no address":                     {`"mcp_servers":[{"id":"x"}]`, "mcp_servers[0].url is missing", 400},
			"a private address of a server":  {`"mcp_servers":[{"id":"x","url":"https://10.1.2.3/"}]`, "mcp_servers[0].url: ", 400},
			"a private address of a change":  {`"mcp_servers":[{"id":"web","url":"https://10.1.2.3/","headers":{}}]`, "mcp_servers[0].url: ", 400},
			"a private address of a document": {
				server + `,"openapi_url":"https://[::1]/","openapi_operations":["*"]}]`, "mcp_servers[0].openapi_url: ", 400,
			},
			"a private address of an agent":        {`"agents":[{"id":"x","url":"http://agents.example.com/"}]`, "agents[0].url: ", 400},
			"a private address of a card":          {agent + `,"card_url":"https://localhost/"}]`, "agents[0].card_url: ", 400},
			"a private address of a client":        {agent + `,"push_to":["https://127.0.0.1/"]}]`, "agents[0].push_to[0]: ", 400},
			"a private address of another client":  {`"agents":[{"id":"planner","push_to":["https://127.0.0.1/"]}]`, "agents[0].push_to[0]: ", 400},
			"a header of the gateway":              {agent + `,"headers":{"A2A-Version":"1.0"}}]`, "agents[0].headers: ", 400},
			"an address without its headers":       {`"agents":[{"id":"planner","url":"https://agents.example.com/y"}]`, "agents[0]: ", 409},
			"a member that nobody has":             {`"virtual_servers":[{"id":"x","servers":[{"server":"web"},{"server":"gone"}]}]`, "virtual_servers[0].servers[1].server: ", 400},
			"a changed member that nobody has":     {`"virtual_servers":[{"id":"team","servers":[{"server":"gone"}]}]`, "virtual_servers[0].servers[0].server: ", 400},
			"no members":                           {`"virtual_servers":[{"id":"x"}]`, "virtual_servers[0].servers is missing", 400},
			"a member that the import deletes":     {server + `}],"virtual_servers":[{"id":"y","servers":[{"server":"web"}]},{"id":"team","servers":[{"server":"x"}]}]`, "virtual_servers[0].servers[0].server: ", 400},
			"a member that stays and is deleted":   {server + `}],"virtual_servers":[{"id":"team","servers":[{"server":"used"}]}]`, "virtual_servers[0].servers[0].server: ", 400},
			"a deletion that is still in use":      {server + `}]`, `mcp_servers "used": `, 409},
			"a deletion where the kind is no list": {`"mcp_servers":null`, `mcp_servers "used": `, 409},
		} {
			t.Log(name)
			for _, query := range []string{"?dry_run=true&prune=true", "?prune=true"} {
				refused := a.do("POST", path+query, `{"tenants":[{"id":"new","name":"new"}],`+c.records+`}`).is(c.status)
				assert.Contains(t, refused.str("error", "message"), c.says)
				assert.NotContains(t, refused.text, "changes: ", "nothing was done")
			}
		}
		assert.Equal(t, 0, a.do("GET", "/admin/v1/tenants", nil).is(200).len("data"))
		a.do("POST", path+"?prune=true", `{"mcp_servers":[{"id":"x","url":"https://mcp.example.com/"}],`+
			`"virtual_servers":[{"id":"team","servers":[{"server":"x"},{"server":"search"}]}]}`).is(200)
		assert.Equal(t, 2, a.do("GET", "/admin/v1/mcp-servers", nil).is(200).len("data"), "the file's and the new one")
		a.do("POST", path+"?prune=true", `{"mcp_servers":[],"virtual_servers":[]}`).is(200)
	})
}
