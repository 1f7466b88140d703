package rest_test

import (
	"fmt"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

const (
	serversPath = "/admin/v1/mcp-servers"
	virtualPath = "/admin/v1/virtual-servers"
)

func TestMCPServersAreAddedChangedAndDeleted(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		a.tools.offer("search", "find", "finds people")
		made := a.sendAs("policy-admin", "POST", serversPath, `{"name":"web","url":"https://mcp.example.com/secret-path","price_per_call":0.05,`+
			`"headers":{"Authorization":"Bearer very-secret"},"access":[{"tenants":["default"],"tools":["find_*"]}],"prices":{"dear":0.5},`+
			`"allowed_tools":["find_*","dear"],"configured_era":"legacy","trust":"restore","pin":"required"}`).is(201)
		assert.Equal(t, serversPath+"/web", made.header.Get("Location"))
		assert.NotContains(t, made.text, "very-secret")
		read := a.sendAs("policy-admin", "GET", serversPath+"/web", nil).is(200)
		assert.Equal(t, made.header.Get("ETag"), read.header.Get("ETag"))
		for _, part := range []string{
			`"transport":"http"`, `"header_names":["Authorization"]`, `"configured_era":"legacy"`, `"trust":"restore"`, `"pin":"required"`,
			`"allowed_tools":["find_*","dear"]`, `"prices":{"dear":0.5}`, `"price_per_call":0.05`, `"source":"api"`, `"health":"UNKNOWN"`,
			`"access":[{"tenants":["default"],"tools":["find_*"]}]`, `"tool_list":[]`, `"enabled":true`,
		} {
			assert.Contains(t, read.text, part)
		}
		r, err := store.NewMCPServers(a.db).Get(t.Context(), "web")
		require.NoError(t, err)
		assert.NotContains(t, string(r.Headers), "very-secret", "it is sealed")

		a.sendAs("owner", "POST", serversPath, `{"name":"web","url":"https://mcp.example.com/"}`).requireRefusal(409, "conflict")
		a.sendAs("owner", "POST", serversPath, `{"name":"search","url":"https://mcp.example.com/"}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.sendAs("owner", "POST", serversPath, `{"name":"filed-team","url":"https://mcp.example.com/"}`).requireRefusal(409, "MANAGED_BY_FILE")
		list := a.sendAs("policy-admin", "GET", serversPath, nil).is(200)
		assert.Less(t, strings.Index(list.text, `"search"`), strings.Index(list.text, `"web"`))
		said := a.sendAs("owner", "PUT", serversPath+"/search", `{"trust":"restore"}`).requireRefusal(409, "MANAGED_BY_FILE")
		assert.Contains(t, said, "the configuration file manages this record")
		a.sendAs("owner", "DELETE", serversPath+"/search", nil).requireRefusal(409, "MANAGED_BY_FILE")

		_, _, err = a.db.ToolPins().Record(t.Context(), &store.OfferedTool{
			Server: "web", Tool: "find", Digest: strings.Repeat("a", 64), Definition: `{"name":"find"}`,
		})
		require.NoError(t, err)
		changed := a.sendAs("owner", "PUT", serversPath+"/web", `{"trust":"keep","pin":"off"}`, "If-Match", read.header.Get("ETag")).is(200)
		assert.Contains(t, changed.text, `"price_per_call":0.05`, "what a change does not name stays")
		assert.Contains(t, changed.text, `"tools":1`, "the tools that are known are counted")
		a.sendAs("owner", "PUT", serversPath+"/web", `{"trust":"restore"}`, "If-Match", read.header.Get("ETag")).requireRefusal(412, "precondition_failed")
		a.sendAs("owner", "DELETE", serversPath+"/web", nil, "If-Match", read.header.Get("ETag")).requireRefusal(412, "precondition_failed")
		a.sendAs("owner", "POST", serversPath+"/web/check", nil).requireRefusal(409, "conflict")
		a.sendAs("owner", "GET", serversPath+"/web/tools/find", nil).requireRefusal(409, "conflict")
		a.sendAs("owner", "DELETE", serversPath+"/web", nil, "If-Match", changed.header.Get("ETag")).is(204)
		a.sendAs("owner", "GET", serversPath+"/web", nil).is(404)
		a.sendAs("owner", "PUT", serversPath+"/web", `{"pin":"off"}`).is(404)
		a.sendAs("owner", "DELETE", serversPath+"/web", nil).is(404)

		a.sendAs("owner", "POST", serversPath, `{"name":"later","url":"https://mcp.example.com/"}`).is(201)
		a.tools.offer("later", "find", "finds people")
		a.sendAs("owner", "PUT", serversPath+"/later", `{"trust":"keep"}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.sendAs("owner", "DELETE", serversPath+"/later", nil).is(204) // the record over which the file has precedence
		a.sendAs("owner", "DELETE", serversPath+"/later", nil).requireRefusal(409, "MANAGED_BY_FILE")

		events := a.sendAs("owner", "GET", "/admin/v1/audit/events", nil).is(200).text
		for _, part := range []string{`"mcp_server"`, `"before":"restore"`, `"after":"keep"`, `(masked)`, `https://mcp.example.com/`} {
			assert.Contains(t, events, part)
		}
		assert.NotContains(t, events, "very-secret")
		assert.NotContains(t, events, "secret-path")
	})
}

func TestARepeatedCreationWithOneIdempotencyKeyAddsOneServer(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		const body = `{"name":"web","url":"https://mcp.example.com/"}`
		first := a.sendAs("owner", "POST", serversPath, body, "Idempotency-Key", "one").is(201)
		again := a.sendAs("owner", "POST", serversPath, body, "Idempotency-Key", "one").is(201)
		assert.Equal(t, first.text, again.text)
		a.sendAs("owner", "POST", serversPath, `{"name":"web2","url":"https://mcp.example.com/"}`, "Idempotency-Key", "one").is(409)
		assert.Equal(t, 1, a.sendAs("owner", "GET", serversPath, nil).is(200).len("data"))
	})
}

func TestAShadowedServerIsDeletedAlthoughAVirtualServerNamesIt(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		a.sendAs("owner", "POST", serversPath, `{"name":"web","url":"https://mcp.example.com/"}`).is(201)
		a.sendAs("owner", "POST", virtualPath, `{"name":"team","servers":[{"server":"web"}]}`).is(201)
		a.sendAs("owner", "DELETE", serversPath+"/web", nil).requireRefusal(409, "conflict")
		a.tools.offer("web", "find", "finds people")
		a.sendAs("owner", "DELETE", serversPath+"/web", nil).is(204)
		assert.Equal(t, "file", a.sendAs("owner", "GET", serversPath+"/web", nil).is(200).str("source"), "the file's server stays")
		assert.Equal(t, "web", a.sendAs("owner", "GET", virtualPath+"/team", nil).is(200).str("servers", 0, "server"))
		a.sendAs("owner", "DELETE", serversPath+"/web", nil).requireRefusal(409, "MANAGED_BY_FILE")
	})
}

func TestVirtualServersJoinServersThatExist(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		a.tools.offer("search", "find", "finds people")
		a.sendAs("owner", "POST", serversPath, `{"name":"web","url":"https://mcp.example.com/"}`).is(201)
		made := a.sendAs("policy-admin", "POST", virtualPath, `{"name":"team","servers":[{"server":"web","tools":["read_*"]},{"server":"search"}]}`).is(201)
		assert.Equal(t, "5000", fmt.Sprint(made.field("list_timeout_ms")))
		a.sendAs("owner", "POST", virtualPath, `{"name":"ops","servers":[{"server":"web"}],"list_timeout_ms":100}`).is(201)
		list := a.sendAs("owner", "GET", virtualPath, nil).is(200)
		assert.Equal(t, 3, list.len("data"))
		for at, name := range []string{"filed-team", "ops", "team"} {
			assert.Equal(t, name, list.str("data", at, "name"))
		}
		for name, body := range map[string]string{
			"an unknown member":       `{"name":"x","servers":[{"server":"web"},{"server":"missing"}]}`,
			"a virtual one as member": `{"name":"x","servers":[{"server":"ops"}]}`,
			"itself as member":        `{"name":"x","servers":[{"server":"x"}]}`,
		} {
			said := a.sendAs("owner", "POST", virtualPath, body).requireRefusal(400, "invalid_value")
			assert.Contains(t, said, "].server: no MCP server has this name", name)
		}
		said := a.sendAs("owner", "PUT", virtualPath+"/team", `{"servers":[{"server":"search"},{"server":"missing"}]}`).requireRefusal(400, "invalid_value")
		assert.Contains(t, said, "servers[1].server")

		a.sendAs("owner", "POST", virtualPath, `{"name":"web","servers":[{"server":"web"}]}`).requireRefusal(409, "conflict")
		a.sendAs("owner", "POST", virtualPath, `{"name":"search","servers":[{"server":"web"}]}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.sendAs("owner", "POST", serversPath, `{"name":"team","url":"https://mcp.example.com/"}`).requireRefusal(409, "conflict")
		a.sendAs("owner", "PUT", virtualPath+"/filed-team", `{"enabled":false}`).requireRefusal(409, "MANAGED_BY_FILE")
		a.sendAs("owner", "DELETE", virtualPath+"/filed-team", nil).requireRefusal(409, "MANAGED_BY_FILE")

		said = a.sendAs("owner", "DELETE", serversPath+"/web", nil).requireRefusal(409, "conflict")
		assert.Contains(t, said, "ops, team")
		tag := a.sendAs("owner", "GET", virtualPath+"/team", nil).is(200).header.Get("ETag")
		a.sendAs("owner", "PUT", virtualPath+"/team", `{"servers":[{"server":"search"}]}`, "If-Match", tag).is(200)
		a.sendAs("owner", "PUT", virtualPath+"/team", `{"enabled":false}`, "If-Match", tag).requireRefusal(412, "precondition_failed")
		assert.NotContains(t, a.sendAs("owner", "DELETE", serversPath+"/web", nil).requireRefusal(409, "conflict"), "team")
		a.sendAs("owner", "DELETE", virtualPath+"/ops", nil).is(204)
		a.sendAs("owner", "DELETE", serversPath+"/web", nil).is(204)
		a.sendAs("owner", "DELETE", virtualPath+"/team", nil).is(204)
		a.sendAs("owner", "GET", virtualPath+"/team", nil).is(404)
		a.sendAs("owner", "PUT", virtualPath+"/team", `{"enabled":true}`).is(404)
		assert.Contains(t, a.sendAs("owner", "GET", "/admin/v1/audit/events", nil).is(200).text, `"virtual_server"`)
	})
}

func TestStoredHeadersOfAServerStayWithItsAddress(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		const path = serversPath + "/crm"
		a.sendAs("owner", "POST", serversPath, `{"name":"crm","url":"https://crm.example.com/v2","openapi_url":"https://crm.example.com/openapi.yaml",`+
			`"openapi_operations":["list_*"],"headers":{"Authorization":"Bearer of-the-first"}}`).is(201)
		assert.Equal(t, "openapi", a.sendAs("owner", "GET", path, nil).is(200).str("transport"))
		for name, body := range map[string]string{
			"another host":               `{"url":"https://elsewhere.example.com/v2"}`,
			"another path of the host":   `{"url":"https://crm.example.com/of-somebody-else"}`,
			"another document":           `{"openapi_url":"https://elsewhere.example.com/openapi.yaml"}`,
			"no document":                `{"openapi_url":"","openapi_operations":[]}`,
			"headers that are null":      `{"url":"https://elsewhere.example.com/v2","headers":null}`,
			"while it is out of service": `{"url":"https://elsewhere.example.com/v2","enabled":false}`,
		} {
			said := a.sendAs("policy-admin", "PUT", path, body).requireRefusal(409, "conflict")
			assert.Contains(t, said, "stored headers are not sent to another address", name)
		}
		a.sendAs("policy-admin", "PUT", path, `{"url":"https://elsewhere.example.com/v2","headers":{}}`).is(200)
		a.sendAs("policy-admin", "PUT", path, `{"openapi_url":"","openapi_operations":[]}`).is(200)
		assert.Equal(t, "http", a.sendAs("owner", "GET", path, nil).is(200).str("transport"))
	})
}

func TestAServerThatCannotBeUsedSafelyIsRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		globs := func(n int) string { return `["` + strings.Repeat(`a","`, n-1) + `a"]` }
		for name, c := range map[string]struct{ more, says string }{
			"a program":                     {`"command":"/bin/sh"`, "a stored server must not start a program"},
			"a program beside a URL":        {`"url":"https://a.example.com/","command":"/bin/sh"`, "a stored server must not start a program"},
			"a program with arguments":      {`"command":"/bin/sh","args":["-c","id"],"env":{"A":"b"}`, "a stored server must not start a program"},
			"arguments of a program":        {`"url":"https://a.example.com/","args":["-c"]`, "a stored server must not start a program"},
			"no url":                        {`"pin":"off"`, "url is missing"},
			"an empty url":                  {`"url":""`, "url: write at least 1 character"},
			"not a url":                     {`"url":"mcp.example.com"`, "url: "},
			"a file":                        {`"url":"file:///etc/passwd"`, "url: "},
			"a program as a url":            {`"url":"stdio:///bin/sh"`, "url: "},
			"a user in the url":             {`"url":"https://me:s3cr3t@mcp.example.com/"`, "url: contains a user or password; write a credential as a header"},
			"a query in the url":            {`"url":"https://mcp.example.com/?token=s3cr3t"`, "url: contains a query"},
			"a long url":                    {`"url":"https://mcp.example.com/` + strings.Repeat("a", 2048) + `"`, "url: write at most 2048"},
			"a document that is a file":     {`"url":"https://a.example.com/","openapi_url":"/etc/passwd","openapi_operations":["*"]`, "openapi_url: "},
			"a document with a query":       {`"url":"https://a.example.com/","openapi_url":"https://a.example.com/?k=s","openapi_operations":["*"]`, "openapi_url: contains a query"},
			"a document without operations": {`"url":"https://a.example.com/","openapi_url":"https://a.example.com/o.yaml"`, "openapi_operations: name the operations"},
			"operations without a document": {`"url":"https://a.example.com/","openapi_operations":["*"]`, "openapi_operations: needs openapi_url"},
			"an era of an API": {
				`"url":"https://a.example.com/","openapi_url":"https://a.example.com/o.yaml","openapi_operations":["*"],"configured_era":"legacy"`,
				"configured_era: ",
			},
			"an unknown era":              {`"url":"https://a.example.com/","configured_era":"old"`, "configured_era: write one of"},
			"an unknown trust":            {`"url":"https://a.example.com/","trust":"full"`, "trust: write one of"},
			"an unknown pin":              {`"url":"https://a.example.com/","pin":"always"`, "pin: write one of"},
			"no tools":                    {`"url":"https://a.example.com/","allowed_tools":[]`, "allowed_tools: write a list of at least 1"},
			"no access":                   {`"url":"https://a.example.com/","access":[]`, "access: write a list of at least 1"},
			"too many tools":              {`"url":"https://a.example.com/","allowed_tools":` + globs(257), "allowed_tools: write a list of at most 256"},
			"too many tools of an entry":  {`"url":"https://a.example.com/","access":[{"tools":` + globs(257) + `}]`, "access[0].tools: write 256"},
			"an empty glob":               {`"url":"https://a.example.com/","allowed_prompts":[""]`, "allowed_prompts: a glob is empty"},
			"a long glob":                 {`"url":"https://a.example.com/","allowed_resources":["` + strings.Repeat("a", 257) + `"]`, "allowed_resources: a glob"},
			"a glob with a line end":      {`"url":"https://a.example.com/","allowed_tools":["a\nb"]`, "allowed_tools: a glob"},
			"a key that cannot be an id":  {`"url":"https://a.example.com/","access":[{},{"keys":["My key"]}]`, "access[1].keys: write ids"},
			"a negative price":            {`"url":"https://a.example.com/","price_per_call":-1`, "price_per_call: "},
			"a negative price of a tool":  {`"url":"https://a.example.com/","prices":{"find":-1}`, "prices: "},
			"a price of no tool":          {`"url":"https://a.example.com/","prices":{"no tool!":1}`, "prices: "},
			"a header of the protocol":    {`"url":"https://a.example.com/","headers":{"Mcp-Session-Id":"x"}`, "headers: "},
			"a header of the gateway":     {`"url":"https://a.example.com/","headers":{"Host":"x"}`, "headers: "},
			"a header that ends the line": {`"url":"https://a.example.com/","headers":{"X-Key":"a\r\nHost: b"}`, "headers: "},
			"a header in two spellings":   {`"url":"https://a.example.com/","headers":{"X-Key":"a","x-key":"b"}`, "headers: two names"},
			"an empty header":             {`"url":"https://a.example.com/","headers":{"X-Key":""}`, "headers: "},
			"a field of the file":         {`"url":"https://a.example.com/","allow_private":true`, "allow_private: unknown field"},
		} {
			r := a.sendAs("owner", "POST", serversPath, `{"name":"x",`+c.more+`}`).is(400)
			assert.Contains(t, r.str("error", "message"), c.says, name)
			assert.NotContains(t, r.text, "s3cr3t", name)
		}
		for _, name := range []string{"", "../x", "a/b", "a b", "a__b", "a_", "_a", "*", strings.Repeat("a", 65), "a\u00e9", "a\\u0000b"} {
			a.sendAs("owner", "POST", serversPath, `{"name":"`+name+`","url":"https://a.example.com/"}`).requireRefusal(400, "invalid_value")
			a.sendAs("owner", "POST", virtualPath, `{"name":"`+name+`","servers":[{"server":"x"}]}`).requireRefusal(400, "invalid_value")
		}
		a.sendAs("owner", "POST", serversPath, `{"name":"x","url":"https://a.example.com/"}`).is(201)
		said := a.sendAs("owner", "PUT", serversPath+"/x", `{"command":"/bin/sh"}`).requireRefusal(400, "invalid_value")
		assert.Contains(t, said, "below mcp_servers in the configuration file")
		for name, c := range map[string]struct{ more, says string }{
			"no members":       {`"enabled":true`, "servers is missing"},
			"an empty list":    {`"servers":[]`, "servers: write a list of at least 1"},
			"too many members": {`"servers":[` + strings.Repeat(`{"server":"x"},`, 64) + `{"server":"x"}]`, "servers: write a list of at most 64"},
			"a member twice":   {`"servers":[{"server":"x"},{"server":"x"}]`, "servers[1].server: the server is named twice"},
			"no tools":         {`"servers":[{"server":"x","tools":[]}]`, "servers[0].tools: is empty"},
			"an empty glob":    {`"servers":[{"server":"x","tools":[""]}]`, "servers[0].tools: a glob is empty"},
			"no time":          {`"servers":[{"server":"x"}],"list_timeout_ms":0`, "list_timeout_ms: write a number of 10 or more"},
			"a day":            {`"servers":[{"server":"x"}],"list_timeout_ms":86400000`, "list_timeout_ms: write a number of 300000 or less"},
			"an unknown field": {`"servers":[{"server":"x"}],"url":"https://a.example.com/"`, "url: unknown field"},
		} {
			r := a.sendAs("owner", "POST", virtualPath, `{"name":"v",`+c.more+`}`).is(400)
			assert.Contains(t, r.str("error", "message"), c.says, name)
		}
	})
}

func TestPeopleOfATenantAdministerNoServers(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		a.sendAs("owner", "POST", serversPath, `{"name":"x","url":"https://a.example.com/"}`).is(201)
		a.sendAs("owner", "POST", virtualPath, `{"name":"v","servers":[{"server":"x"}]}`).is(201)
		for _, role := range []string{"billing-admin", "admin@default", "developer@default", "viewer@default"} {
			for _, c := range [][3]string{
				{"GET", serversPath},
				{"GET", serversPath + "/x"},
				{"GET", virtualPath},
				{"GET", virtualPath + "/v"},
				{"POST", serversPath, `{"name":"y","url":"https://a.example.com/"}`},
				{"PUT", serversPath + "/x", `{"trust":"restore"}`},
				{"DELETE", serversPath + "/x"},
				{"POST", virtualPath, `{"name":"w","servers":[{"server":"x"}]}`},
				{"PUT", virtualPath + "/v", `{"enabled":false}`},
				{"DELETE", virtualPath + "/v"},
			} {
				var body any
				if c[2] != "" {
					body = c[2]
				}
				a.sendAs(role, c[0], c[1], body).is(403)
			}
		}
		a.sendAs("", "GET", virtualPath, nil).is(401)
	})
}

func TestTheETagOfAnAgentFitsItsIfMatch(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		a.sendAs("owner", "POST", "/admin/v1/agents", `{"name":"planner","url":"https://agents.example.com/"}`).is(201)
		tag := a.sendAs("owner", "GET", "/admin/v1/agents/planner", nil).is(200).header.Get("ETag")
		changed := a.sendAs("owner", "PUT", "/admin/v1/agents/planner", `{"trust":"restore"}`, "If-Match", tag).is(200)
		a.sendAs("owner", "DELETE", "/admin/v1/agents/planner", nil, "If-Match", tag).is(412)
		a.sendAs("owner", "DELETE", "/admin/v1/agents/planner", nil, "If-Match", changed.header.Get("ETag")).is(204)
	})
}
