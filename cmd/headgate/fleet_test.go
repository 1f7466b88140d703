package main_test

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"os"
	"strings"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
)

const (
	fleetSecret = "fleet-secret-0123456789abcdef"
	adminToken  = auth.PATPrefix + "0123456789012345678901234567890123456789012"
)

// central starts a control plane with a fixed address, so that it can be started again.
func central(t *testing.T, address, more, chain string) (*site, *gate) {
	t.Helper()
	s := newSite(t)
	text := strings.Replace(configText("", chain), "listen: 127.0.0.1:0, ", "listen: \""+address+"\", ", 1)
	s.write("gateway.yaml", []byte("role: control-plane\nfleet: {secret: "+fleetSecret+"}\n"+more+text))
	s.env = append(s.env, "HEADGATE_ADMIN_TOKEN="+adminToken)
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

// admin asks the administrative API of a control plane.
func (g *gate) admin(t *testing.T, method, path, body string, status int, into any) {
	t.Helper()
	a, err := g.client(adminToken).do(method, path, []byte(body))
	require.NoError(t, err)
	require.Equal(t, status, a.status, a.body)
	if into != nil {
		require.NoError(t, json.Unmarshal([]byte(a.body), into))
	}
}

// internal asks the internal API.
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
	require.NoError(t, ask.restored("mock-echo", "card "+card))

	// A key, a tenant and a route that are made at the control plane.
	var tenant struct{ ID string }
	c.admin(t, "POST", "/admin/v1/tenants", `{"name":"Acme"}`, 201, &tenant)
	var key struct{ ID, Key string }
	c.admin(t, "POST", "/admin/v1/tenants/"+tenant.ID+"/keys", `{"name":"k"}`, 201, &key)
	c.admin(t, "POST", "/admin/v1/routes", `{"model_pattern":"house-*","providers":[{"provider":"mock","model_override":"mock-echo"}]}`, 201, nil)
	fresh := n.client(key.Key)
	eventually(t, "key and route are in force on the node", func() bool {
		a, err := fresh.try("house-model", "hello")
		return err == nil && a.status == http.StatusOK
	})
	c.admin(t, "DELETE", "/admin/v1/tenants/"+tenant.ID+"/keys/"+key.ID, "", 204, nil)
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

	// What each role serves.
	for path, want := range map[string][2]int{
		"/admin/v1/tenants":            {200, 404},
		"/internal/v1/config/version":  {401, 404},
		"/v1/models":                   {404, 200},
		"/try":                         {404, 200},
		"/status":                      {200, 200},
	} {
		for i, g := range []*gate{c, n} {
			token := adminToken
			if path == "/v1/models" {
				token = testKey
			}
			a, err := g.client(token).do("GET", path, nil)
			require.NoError(t, err)
			assert.Equal(t, want[i], a.status, "%s %s", path, a.body)
		}
	}

	// Records flow back, and are not counted twice.
	usage := func() string { return strings.TrimSpace(s.run("audit", "verify", "--config", "gateway.yaml").out) }
	t.Log(usage())
}

func fromSite(t *testing.T, s *site, name string) []byte {
	t.Helper()
	return mustRead(t, s.path(name))
}

var _ = fmt.Sprint
var _ sync.Mutex
var _ atomic.Int64
var _ = time.Now

func mustRead(t *testing.T, path string) []byte {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return b
}
