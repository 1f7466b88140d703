package rest_test

import (
	"context"
	"errors"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// directory has one agent in the file, and opens none of the records.
type directory struct {
	card    string
	unnamed bool // the file has no server.public_url
}

func (d *directory) HasPublicURL() bool { return !d.unnamed }

func (*directory) FileAgents() []admin.AgentSettings {
	return []admin.AgentSettings{{Name: "filed", URL: "https://agents.example.com/", Trust: "keep", Enabled: true, Source: store.SourceFile}}
}

func (d *directory) Find(_ context.Context, name string) (*agents.Agent, error) {
	if name == "spare" {
		return nil, nil
	}
	return &agents.Agent{Name: name, Upstream: d}, nil
}

func (*directory) Send(context.Context, *agents.Message) (tools.Answer, error) { return nil, nil }

func (d *directory) FetchCard(context.Context) ([]byte, error) {
	if d.card == "" {
		return nil, errors.New("connect to 10.1.2.3: refused")
	}
	return []byte(d.card), nil
}

func TestAgentsAreRegisteredChangedAndRemoved(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/agents"
		made := a.sendAs("policy-admin", "POST", path, `{"name":"planner","url":"https://agents.example.com/planner","price_per_call":0.05,`+
			`"headers":{"Authorization":"Bearer very-secret"},"access":[{"tenants":["default"]}]}`).is(201)
		assert.NotContains(t, made.text, "very-secret")
		assert.Contains(t, made.text, `"header_names":["Authorization"]`)
		assert.Equal(t, "UNKNOWN", made.str("health"))
		r, err := store.NewAgents(a.db).Get(t.Context(), "planner")
		require.NoError(t, err)
		assert.NotContains(t, string(r.Headers), "very-secret", "it is sealed")
		a.sendAs("policy-admin", "POST", path, `{"name":"planner","url":"https://agents.example.com/other"}`).is(409)
		a.sendAs("policy-admin", "POST", path, `{"name":"filed","url":"https://agents.example.com/other"}`).is(409)

		list := a.sendAs("policy-admin", "GET", path, nil).is(200)
		assert.Less(t, strings.Index(list.text, `"filed"`), strings.Index(list.text, `"planner"`))
		changed := a.sendAs("owner", "PUT", path+"/planner", `{"headers":{"X-Api-Key":"another-secret"},"trust":"restore"}`).is(200)
		assert.Equal(t, "restore", changed.str("trust"))
		assert.Contains(t, changed.text, `"header_names":["X-Api-Key"]`)
		assert.Contains(t, changed.text, `"price_per_call":0.05`, "what a change does not name stays")
		pushes := a.sendAs("owner", "PUT", path+"/planner", `{"push_to":["https://hooks.example.com/a2a"]}`).is(200)
		assert.Equal(t, "https://hooks.example.com/a2a", pushes.str("push_to", 0))
		a.sendAs("owner", "PUT", path+"/filed", `{"trust":"restore"}`).is(409)
		a.sendAs("owner", "DELETE", path+"/filed", nil).is(409)

		a.peers.card = `{"name":"Planner","url":"http://10.0.0.1/"}`
		checked := a.sendAs("policy-admin", "POST", path+"/planner/check", nil).is(200)
		assert.Contains(t, checked.text, `"card":{"name":"Planner"`)
		a.peers.card = ""
		gone := a.sendAs("policy-admin", "POST", path+"/planner/check", nil).is(502)
		assert.NotContains(t, gone.text, "10.1.2.3")
		require.NotNil(t, a.faults.Swap(nil), "the log says why")
		a.sendAs("owner", "POST", path, `{"name":"spare","url":"https://agents.example.com/spare","enabled":false}`).is(201)
		a.sendAs("owner", "POST", path+"/spare/check", nil).is(409)

		a.sendAs("owner", "DELETE", path+"/planner", nil).is(204)
		a.sendAs("owner", "GET", path+"/planner", nil).is(404)
		events := a.sendAs("owner", "GET", "/admin/v1/audit/events", nil).is(200).text
		for _, part := range []string{`"trust"`, `"before":"keep"`, `"after":"restore"`, `"headers"`, `(masked)`, `agents.example.com`} {
			assert.Contains(t, events, strings.ReplaceAll(part, `"`, "\""))
		}
		for _, secret := range []string{"very-secret", "another-secret"} {
			assert.NotContains(t, events, secret)
		}
	})
}

func TestStoredHeadersOfAnAgentStayWithItsAddress(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		const path = "/admin/v1/agents/planner"
		a.sendAs("owner", "POST", "/admin/v1/agents", `{"name":"planner","url":"https://agents.example.com/planner",`+
			`"card_url":"https://agents.example.com/card","headers":{"Authorization":"Bearer of-the-first"}}`).is(201)
		headers := func() string {
			r, err := store.NewAgents(a.db).Get(t.Context(), "planner")
			require.NoError(t, err)
			return string(r.Headers)
		}
		sealed := headers()
		for name, body := range map[string]string{
			"another host":               `{"url":"https://elsewhere.example.com/planner"}`,
			"another path of the host":   `{"url":"https://agents.example.com/of-somebody-else"}`,
			"another port":               `{"url":"https://agents.example.com:8443/planner"}`,
			"another card of the host":   `{"card_url":"https://agents.example.com/of-somebody-else"}`,
			"the card where it is not":   `{"card_url":""}`,
			"both":                       `{"url":"https://elsewhere.example.com/","card_url":"https://elsewhere.example.com/card"}`,
			"headers that are null":      `{"url":"https://elsewhere.example.com/planner","headers":null}`,
			"while it is out of service": `{"url":"https://elsewhere.example.com/planner","enabled":false}`,
		} {
			a.sendAs("policy-admin", "PUT", path, body).requireRefusal(409, "conflict")
			t.Log(name)
		}
		kept := a.sendAs("owner", "GET", path, nil).is(200)
		assert.Equal(t, "https://agents.example.com/planner", kept.str("url"))
		assert.Equal(t, sealed, headers())
		a.sendAs("policy-admin", "PUT", path, `{"url":"https://agents.example.com/planner","price_per_call":1}`).is(200)
		assert.Equal(t, sealed, headers(), "an address that stays changes nothing")

		a.sendAs("policy-admin", "PUT", path, `{"url":"https://elsewhere.example.com/","headers":{"Authorization":"Bearer of-the-second"}}`).is(200)
		assert.NotEqual(t, sealed, headers(), "new headers come with the new address")
		a.sendAs("policy-admin", "PUT", path, `{"url":"https://agents.example.com/planner"}`).requireRefusal(409, "conflict")
		moved := a.sendAs("policy-admin", "PUT", path, `{"url":"https://agents.example.com/planner","headers":{}}`).is(200)
		assert.NotContains(t, moved.text, "header_names")
		assert.Empty(t, headers())
		a.sendAs("policy-admin", "PUT", path, `{"url":"https://elsewhere.example.com/planner"}`).is(200)
	})
}

func TestAnAgentThatCannotBeCalledSafelyIsRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		for name, body := range map[string]string{
			"no url":                        `{"name":"x"}`,
			"not a url":                     `{"name":"x","url":"agents.example.com"}`,
			"another scheme":                `{"name":"x","url":"file:///etc/passwd"}`,
			"a user in the url":             `{"name":"x","url":"https://me:secret@agents.example.com/"}`,
			"a query in the url":            `{"name":"x","url":"https://agents.example.com/?token=secret"}`,
			"a card at another scheme":      `{"name":"x","url":"https://agents.example.com/","card_url":"ftp://agents.example.com/"}`,
			"a push address with a query":   `{"name":"x","url":"https://agents.example.com/","push_to":["https://hooks.example.com/","https://hooks.example.com/?token=secret"]}`,
			"a push address that is no url": `{"name":"x","url":"https://agents.example.com/","push_to":["hooks.example.com"]}`,
			"a name that is a path":         `{"name":"../x","url":"https://agents.example.com/"}`,
			"a header of the gateway":       `{"name":"x","url":"https://agents.example.com/","headers":{"A2A-Version":"1.0"}}`,
			"a header that ends the line":   `{"name":"x","url":"https://agents.example.com/","headers":{"X-Key":"a\r\nHost: b"}}`,
			"a header name with a space":    `{"name":"x","url":"https://agents.example.com/","headers":{"X Key":"a"}}`,
			"a negative price":              `{"name":"x","url":"https://agents.example.com/","price_per_call":-1}`,
			"an unknown trust":              `{"name":"x","url":"https://agents.example.com/","trust":"full"}`,
			"a key that cannot be an id":    `{"name":"x","url":"https://agents.example.com/","access":[{"keys":["gw_secret!"]}]}`,
			"a field that does not exist":   `{"name":"x","url":"https://agents.example.com/","allow_private":true}`,
		} {
			a.sendAs("owner", "POST", "/admin/v1/agents", body).is(400)
			t.Log(name)
		}
		a.sendAs("admin@default", "POST", "/admin/v1/agents", `{"name":"x","url":"https://agents.example.com/"}`).is(403)
		a.sendAs("viewer@default", "GET", "/admin/v1/agents", nil).is(403)
	})
}

func TestAnAgentOrAServerAtAPrivateAddressIsRefused(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		const agents, servers = "/admin/v1/agents", "/admin/v1/mcp-servers"
		a.subscribers.publicOnly.Store(true)
		a.do("POST", agents, `{"name":"planner","url":"https://agents.example.com/","push_to":["https://hooks.example.com/a2a"]}`).is(201)
		a.do("POST", servers, `{"name":"web","url":"https://mcp.example.com/"}`).is(201)
		for name, address := range map[string]string{
			"plain http":                    "http://hooks.example.com/a2a",
			"this machine":                  "https://127.0.0.1/a2a",
			"this machine by its name":      "https://localhost:8443/a2a",
			"this machine in IPv6":          "https://[::1]/a2a",
			"this machine in mapped IPv6":   "https://[::ffff:127.0.0.1]/a2a",
			"a private network":             "https://10.1.2.3/a2a",
			"the metadata service":          "https://169.254.169.254/a2a",
			"an address of every interface": "https://0.0.0.0/a2a",
		} {
			t.Log(name)
			push := `"push_to":["https://hooks.example.com/","` + address + `"]}`
			refused := a.do("PUT", agents+"/planner", `{`+push).requireRefusal(400, "invalid_value")
			assert.Contains(t, refused, "push_to[1]")
			assert.NotContains(t, refused, "/a2a", "an address may be a secret")
			a.do("POST", agents, `{"name":"x","url":"https://agents.example.com/",`+push).requireRefusal(400, "invalid_value")
			a.do("POST", agents, `{"name":"x","url":"`+address+`"}`).requireRefusal(400, "invalid_value")
			a.do("PUT", agents+"/planner", `{"card_url":"`+address+`"}`).requireRefusal(400, "invalid_value")
			a.do("POST", servers, `{"name":"x","url":"`+address+`"}`).requireRefusal(400, "invalid_value")
			a.do("PUT", servers+"/web", `{"url":"`+address+`"}`).requireRefusal(400, "invalid_value")
		}
		kept := a.do("GET", agents+"/planner", nil).is(200)
		assert.Equal(t, []any{"https://hooks.example.com/a2a"}, kept.field("push_to"))
	})
}

func TestAnAgentThatCannotReachTheGatewayNotifiesNobody(t *testing.T) {
	t.Parallel()
	onEach(t, func(t *testing.T, a *api) {
		const path, push = "/admin/v1/agents", `"push_to":["https://hooks.example.com/a2a"]`
		a.peers.unnamed = true
		refused := a.do("POST", path, `{"name":"planner","url":"https://agents.example.com/",`+push+`}`).requireRefusal(400, "invalid_value")
		assert.Contains(t, refused, "public_url")
		a.do("POST", path, `{"name":"planner","url":"https://agents.example.com/","push_to":[]}`).is(201)
		a.do("PUT", path+"/planner", `{`+push+`}`).requireRefusal(400, "invalid_value")
		a.peers.unnamed = false
		a.do("PUT", path+"/planner", `{`+push+`}`).is(200)
		a.peers.unnamed = true
		a.do("PUT", path+"/planner", `{"price_per_call":1}`).is(200)
		a.do("PUT", path+"/planner", `{"push_to":[]}`).is(200)
	})
}
