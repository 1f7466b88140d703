package main_test

import (
	"encoding/json"
	"io"
	"net/http"
	"os"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

const fleetSecret = "fleet-secret-0123456789abcdef"

// central starts a control plane with a fixed address, so that it can be restarted.
func central(t *testing.T, address, more, chain string) (*site, *gate) {
	t.Helper()
	s := newSite(t)
	text := strings.Replace(configText("", chain), "listen: 127.0.0.1:0, ", "listen: \""+address+"\", ", 1)
	s.write("gateway.yaml", []byte("role: control-plane\nfleet: {secret: "+fleetSecret+"}\n"+more+text))
	s.env = append(s.env, "HEADGATE_ADMIN_TOKEN="+ownerToken)
	return s, s.serve("--config", "gateway.yaml")
}

// nodeOf starts a node of a control plane.
func nodeOf(t *testing.T, name, control, more string) *gate {
	t.Helper()
	s := newSite(t)
	s.write("gateway.yaml", []byte("fleet: {secret: "+fleetSecret+", node: "+name+", poll: 300ms}\n"+
		"server: {listen: 127.0.0.1:0, metrics_listen: \"\"}\nlog: {level: debug}\nstore: {url: \"sqlite:node.db\"}\n"+more))
	return s.serve("--config", "gateway.yaml", "--role", "gateway", "--control-plane", "http://"+control)
}

// internal sends a request to the internal API.
func (g *gate) internal(t *testing.T, path, secret string) answer {
	t.Helper()
	r, err := http.NewRequest(http.MethodGet, "http://"+g.addr+path, http.NoBody)
	require.NoError(t, err)
	if secret != "" {
		r.Header.Set("X-Internal-Secret", secret)
	}
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, string(b), res.Header}
}

func TestANodeServesWhatItsControlPlaneSays(t *testing.T) {
	s, c := central(t, "127.0.0.1:0", "", "  - {stage: pii}\n")
	n := nodeOf(t, "edge-1", c.addr, "")
	ask := n.client(testKey)
	require.NoError(t, ask.checkEcho("mock-echo", "card "+card))

	// A key, a tenant and a route that are created at the control plane.
	tenant := c.admin(201, "POST", "/tenants", `{"name":"Acme"}`)["id"].(string)
	key := c.admin(201, "POST", "/tenants/"+tenant+"/keys", `{"name":"k"}`)
	c.admin(201, "POST", "/routes", `{"model_pattern":"house-*","providers":[{"provider":"mock","model_override":"mock-echo"}]}`)
	fresh := n.client(key["key"].(string))
	eventually(t, "key and route are in force on the node", func() bool {
		a, err := fresh.try("house-model", "hello")
		return err == nil && a.status == http.StatusOK
	})
	c.admin(204, "DELETE", "/tenants/"+tenant+"/keys/"+key["id"].(string), "")
	eventually(t, "the key has ended on the node", func() bool {
		a, err := fresh.try("mock-echo", "hello")
		return err == nil && a.status == http.StatusUnauthorized
	})

	// Another configuration file at the control plane.
	text := string(fromSite(t, s, "gateway.yaml"))
	s.write("gateway.yaml", []byte(strings.Replace(text, "{stage: pii}", "{stage: pii, config: {action: block}}", 1)))
	eventually(t, "the file's chain is that of the node", func() bool {
		a, err := ask.try("mock-echo", "card "+card)
		return err == nil && a.status == http.StatusBadRequest
	})

	// The endpoints that each role serves.
	for path, want := range map[string][2]int{
		"/admin/v1/tenants":           {200, 404},
		"/internal/v1/config/version": {401, 404},
		"/v1/models":                  {404, 200},
		"/try":                        {404, 200},
		"/status":                     {200, 200},
	} {
		for i, g := range []*gate{c, n} {
			token := ownerToken
			if path == "/v1/models" {
				token = testKey
			}
			a, err := g.client(token).do("GET", path, nil)
			require.NoError(t, err)
			assert.Equal(t, want[i], a.status, "%s %s", path, a.body)
		}
	}

	// Records are delivered to the control plane, each once.
	eventually(t, "the control plane has the node's records", func() bool {
		own, central := n.run(
			"audit",
			"verify",
			"--config",
			"gateway.yaml",
			"--set",
			"fleet.control_plane=http://"+c.addr,
			"--set",
			"role=gateway",
		), s.run(
			"audit",
			"verify",
			"--config",
			"gateway.yaml",
		)
		require.Zero(t, own.code, own.out+own.err)
		require.Zero(t, central.code, central.out+central.err)
		return exchanges(own.out) == exchanges(central.out) && exchanges(own.out) != ""
	})
	f := n.run(
		"keys",
		"create",
		"--config",
		"gateway.yaml",
		"--set",
		"fleet.control_plane=http://"+c.addr,
		"--set",
		"role=gateway",
		"--tenant",
		"default",
		"--name",
		"x",
	)
	assert.NotZero(t, f.code)
	assert.Contains(t, f.err, "make the change there")
}

// exchanges returns what a verification reports about exchanges and their usage.
func exchanges(report string) string {
	m := regexp.MustCompile(`(\d+) of them GATEWAY_REQUEST and (\d+) GATEWAY_RESPONSE.*; (\d+) usage records?`).FindStringSubmatch(report)
	if m == nil {
		return ""
	}
	return strings.Join(m[1:], " ")
}

func TestTheInternalAPIIsTheSpecifications(t *testing.T) {
	_, c := central(t, "127.0.0.1:0", "", "  - {stage: pii}\n")
	for _, path := range []string{"/internal/v1/config/version", "/internal/v1/config/full", "/internal/v1/config/bundle", "/internal/v1/config/files/00"} {
		for _, secret := range []string{"", fleetSecret + "x"} {
			a := c.internal(t, path, secret)
			assert.Equal(t, http.StatusUnauthorized, a.status)
			assert.Equal(t, "UNAUTHORIZED", a.code())
			assert.NotEmpty(t, a.header.Get("X-Trace-Id"))
		}
	}
	a := c.internal(t, "/internal/v1/config/version", fleetSecret)
	require.Equal(t, http.StatusOK, a.status)
	var v struct{ Version int64 }
	require.NoError(t, json.Unmarshal([]byte(a.body), &v))
	assert.Positive(t, v.Version)
	for _, since := range []string{"", "?since_version=0", "?since_version=999999"} {
		a = c.internal(t, "/internal/v1/config/full"+since, fleetSecret)
		require.Equal(t, http.StatusOK, a.status)
		var full struct {
			Version int64            `json:"version"`
			Tenants []map[string]any `json:"tenants"`
			Routes  []map[string]any `json:"routes"`
			Keys    []map[string]any `json:"api_keys"`
		}
		require.NoError(t, json.Unmarshal([]byte(a.body), &full))
		assert.Equal(t, v.Version, full.Version)
		require.Len(t, full.Tenants, 1)
		assert.Equal(t, "default", full.Tenants[0]["id"])
		assert.Len(t, full.Routes, 2)
		require.Len(t, full.Keys, 1)
		assert.Equal(t, "default", full.Keys[0]["tenant_id"])
		assert.Equal(t, testKey[:10], full.Keys[0]["key_prefix"])
		assert.NotContains(t, a.body, "hash")
		assert.NotContains(t, a.body, testKey)
	}
	assert.Equal(t, http.StatusBadRequest, c.internal(t, "/internal/v1/config/full?since_version=x", fleetSecret).status)
	assert.Equal(t, http.StatusBadRequest, c.internal(t, "/internal/v1/config/bundle", fleetSecret).status, "without a nonce")
	assert.Equal(t, http.StatusNotFound, c.internal(t, "/internal/v1/other", fleetSecret).status)
	s := newSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - {stage: pii}\n")))
	open := s.serve("--config", "gateway.yaml")
	a = open.internal(t, "/internal/v1/config/version", "")
	assert.Equal(t, http.StatusOK, a.status, "without a secret it is open on this machine")
	assert.Contains(t, a.header.Get("Warning"), "fleet.secret")
	assert.Equal(t, http.StatusNotFound, open.internal(t, "/internal/v1/config/bundle", "").status)
}

func fromSite(t *testing.T, s *site, name string) []byte {
	t.Helper()
	return mustRead(t, s.path(name))
}

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}
