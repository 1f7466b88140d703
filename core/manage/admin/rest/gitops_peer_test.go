package rest_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestAnImportChangesAgentsAndServersByTheirNames(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/config/import"
		a.tools.offer("search", "find", "finds people") // in the file
		doc := `{"mcp_servers":[{"id":"web","url":"https://mcp.example.com/","headers":{"X-Api-Key":"secret-one-two"}}],` +
			`"virtual_servers":[{"id":"team","servers":[{"server":"web"},{"server":"search"}]}],` +
			`"agents":[{"id":"planner","url":"https://agents.example.com/x"}]}`
		a.do("POST", path, doc).is(200)
		assert.Equal(t, 0, a.do("POST", path, doc).is(200).len("changes"), "sealed headers are compared")
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

func TestAnImportSetsTheHeadersThatADocumentGives(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/config/import"
		document := func(headers string) string {
			return `{"mcp_servers":[{"id":"web","url":"https://mcp.example.com/"` + headers + `}],` +
				`"agents":[{"id":"planner","url":"https://agents.example.com/x"` + headers + `}]}`
		}
		sealed := func() string {
			s, err := store.NewMCPServers(a.db).Get(t.Context(), "web")
			require.NoError(t, err)
			p, err := store.NewAgents(a.db).Get(t.Context(), "planner")
			require.NoError(t, err)
			return string(s.Headers) + string(p.Headers)
		}
		const first, second = `,"headers":{"X-Api-Key":"secret-one"}`, `,"headers":{"X-Api-Key":"secret-two"}`
		a.do("POST", path, document(first)).is(200)
		for _, c := range []struct {
			name, headers string
			changed       bool
		}{
			{"the same value", first, false},
			{"no headers", "", false},
			{"headers that are null", `,"headers":null`, false},
			{"a rotated value", second, true},
			{"the rotated value again", second, false},
			{"another name", `,"headers":{"X-Token":"secret-two"}`, true},
			{"one more header", `,"headers":{"X-Token":"secret-two","X-Api-Key":"secret-two"}`, true},
			{"no headers on purpose", `,"headers":{}`, true},
			{"none, as there are", `,"headers":{}`, false},
			{"a header for a record without any", first, true},
		} {
			before := sealed()
			dry := a.do("POST", path+"?dry_run=true", document(c.headers)).is(200)
			assert.Equal(t, before, sealed(), "%s: a dry run changes nothing", c.name)
			done := a.do("POST", path, document(c.headers)).is(200)
			assert.Equal(t, c.changed, sealed() != before, c.name)
			if !c.changed {
				assert.Equal(t, 0, dry.len("changes")+done.len("changes"), c.name)
				continue
			}
			for _, answer := range []reply{dry, done} {
				assert.Equal(t, 2, answer.len("changes"), c.name)
				assert.Equal(t, []any{"headers"}, answer.field("changes", 1, "fields"), c.name)
				assert.NotContains(t, answer.text, "secret")
			}
		}
		a.do("PUT", "/admin/v1/agents/planner", `{"headers":{"X-Api-Key":"secret-elsewhere"}}`).is(200)
		back := a.do("POST", path, document(first)).is(200)
		assert.Equal(t, "planner", back.str("changes", 0, "id"), "what was changed elsewhere comes back")
		assert.Equal(t, 1, back.len("changes"))
		assert.NotContains(t, a.events(""), "secret-")

		_, err := store.NewAgents(a.db).Change(t.Context(), "planner", func(r *store.Agent) error {
			r.Headers = []byte("of another master key")
			return nil
		})
		require.NoError(t, err)
		assert.Equal(t, 1, a.do("POST", path, document(first)).is(200).len("changes"), "headers that cannot be opened are replaced")
		assert.NotContains(t, sealed(), "of another master key")
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
