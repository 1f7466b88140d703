package main_test

import (
	"bytes"
	"encoding/json"
	"mime/multipart"
	"net/http"
	"os"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// ownerToken is the token of the first owner.
const ownerToken = "headgate_pat_0123456789abcdefghijklmnopqrstuvwxyzABCDEFG"

// newAdminSite returns a site whose gateways accept the token.
func newAdminSite(t *testing.T) *site {
	s := newSite(t)
	s.env = append(s.env, "HEADGATE_ADMIN_TOKEN="+ownerToken)
	return s
}

// admin sends an administrative request, and requires its status.
func (g *gate) admin(status int, method, path, body string) map[string]any {
	g.t.Helper()
	a, err := g.client(ownerToken).do(method, "/admin/v1"+path, []byte(body))
	require.NoError(g.t, err)
	require.Equal(g.t, status, a.status, a.body)
	var v map[string]any
	if a.body != "" {
		require.NoError(g.t, json.Unmarshal([]byte(a.body), &v), a.body)
	}
	return v
}

func TestRecordsAreInForceAsSoonAsTheyAreStored(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.configure("", "  - stage: policy\n  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")

	tenant := g.admin(201, "POST", "/tenants", `{"name":"Research"}`)["id"].(string)
	key := g.admin(201, "POST", "/tenants/"+tenant+"/keys", `{"name":"ci"}`)
	c := g.client(key["key"].(string))
	eventually(t, "the key authenticates", func() bool { return c.chat(t, "mock-echo", "hello").status == 200 })

	assert.Equal(t, http.StatusNotFound, c.chat(t, "house-model", "hello").status)
	route := g.admin(201, "POST", "/routes", `{"model_pattern":"house-*","providers":[{"provider":"mock","model_override":"mock-echo"}]}`)
	eventually(t, "the route is in force", func() bool { return c.chat(t, "house-model", "hello").content() == "hello" })
	g.admin(400, "POST", "/routes", `{"model_pattern":"x","providers":[{"provider":"nobody"}]}`)
	g.admin(204, "DELETE", "/routes/"+route["id"].(string), "")
	eventually(t, "the route is gone", func() bool { return c.chat(t, "house-model", "hello").status == 404 })

	version := g.status().ConfigVersion
	g.admin(200, "PUT", "/tenants/"+tenant, `{"status":"suspended"}`)
	eventually(t, "the tenant is suspended", func() bool { return c.chat(t, "mock-echo", "hello").code() == "TENANT_SUSPENDED" })
	assert.Greater(t, g.status().ConfigVersion, version)
	g.admin(200, "PUT", "/tenants/"+tenant, `{"status":"active"}`)

	path := "/tenants/" + tenant + "/keys/" + key["id"].(string)
	next := g.client(g.admin(201, "POST", path+"/rotate", "")["key"].(string))
	eventually(t, "the new key authenticates", func() bool { return next.chat(t, "mock-echo", "hello").status == 200 })
	assert.Equal(t, 200, c.chat(t, "mock-echo", "hello").status, "the rotated key works in its grace period")
	g.admin(204, "DELETE", path, "")
	eventually(t, "the rotated key is ended", func() bool { return c.chat(t, "mock-echo", "hello").status == 401 })

	for _, path := range []string{"/tenants/default", "/tenants/default/keys/x"} {
		a, err := g.client(key["key"].(string)).do("GET", "/admin/v1"+path, nil)
		require.NoError(t, err)
		assert.Equal(t, 401, a.status, "a gateway key opens no administration")
	}
	assert.Equal(t, 401, g.client(ownerToken).chat(t, "mock-echo", "hello").status, "a personal access token opens no data plane")
	g.admin(409, "DELETE", "/tenants/default", "")
}

func TestTheChainIsArrangedInTheRunningGateway(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.configure("", "  - stage: policy\n  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	require.Equal(t, []string{"policy", "pii"}, g.status().links())
	g.admin(200, "PUT", "/chain", `{"links":[{"name":"pii"},{"name":"policy","mode":"shadow"}]}`)
	eventually(t, "the order is in force", func() bool { return slices.Equal(g.status().links(), []string{"pii", "policy"}) })
	g.stop()
	g = s.serve("--config", "gateway.yaml")
	require.Equal(t, []string{"pii", "policy"}, g.status().links(), "it outlives the process")
	g.admin(204, "DELETE", "/chain", "")
	eventually(t, "the order of the file is in force again", func() bool { return slices.Equal(g.status().links(), []string{"policy", "pii"}) })
}

func TestAModuleIsUploadedIntoTheRunningGateway(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.configure("", everyPlugin)
	require.NoError(t, os.Remove(s.path("plugins")), "the first module makes the folder")
	g := s.serve("--config", "gateway.yaml")
	module := fromRoot(t, "wasm/testdata/look.wasm")
	upload := func(file string, b []byte) answer {
		var body bytes.Buffer
		w := multipart.NewWriter(&body)
		p, err := w.CreateFormFile("module", file)
		require.NoError(t, err)
		_, err = p.Write(b)
		require.NoError(t, err)
		require.NoError(t, w.Close())
		r, err := http.NewRequest("POST", "http://"+g.addr+"/admin/v1/plugins", &body)
		require.NoError(t, err)
		r.Header.Set("Authorization", "Bearer "+ownerToken)
		r.Header.Set("Content-Type", w.FormDataContentType())
		return sendRequest(t, r)
	}
	bad := upload("look.wasm", []byte("MZ no module"))
	assert.Equal(t, 400, bad.status, bad.body)
	assert.Equal(t, "plugin_refused", bad.code())
	assert.NotContains(t, bad.body, "/", "the answer contains no file path: %s", bad.body)

	ok := upload("look.wasm", module)
	require.Equal(t, 201, ok.status, ok.body)
	assert.Contains(t, ok.body, digest(module))
	g.awaitModule("look.wasm", digest(module))
	list := g.admin(200, "GET", "/plugins", "")["data"].([]any)
	require.Len(t, list, 1)
	assert.Equal(t, "live", list[0].(map[string]any)["state"])
	g.admin(204, "DELETE", "/plugins/look.wasm", "")
	eventually(t, "the stage is gone", func() bool { return !slices.Contains(g.status().links(), "look") })
}

func TestARequestWaitsForASecondPerson(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.write("gateway.yaml", []byte(configText("", "  - stage: policy\n  - stage: pii\n")+
		"policies:\n  - {id: p, dsl: \"rules: [{id: ask, conditions: {model.in: [mock-json]}, action: REQUIRE_APPROVAL, deny_message: Ask first.}]\"}\n"))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	a := c.chat(t, "mock-json", "hello")
	assert.Equal(t, 403, a.status)
	assert.Contains(t, a.body, "Ask first.")
	var id string
	eventually(t, "the request is in the queue", func() bool {
		list := g.admin(200, "GET", "/approvals?status=PENDING", "")["data"].([]any)
		if len(list) == 1 {
			id = list[0].(map[string]any)["id"].(string)
		}
		return id != ""
	})
	c.chat(t, "mock-json", "hello")
	assert.Len(t, g.admin(200, "GET", "/approvals", "")["data"].([]any), 1, "it is requested once")
	g.admin(200, "POST", "/approvals/"+id+"/approve", `{"hours":1}`)
	eventually(t, "the approval is in force", func() bool { return c.chat(t, "mock-json", "hello").status == 200 })
	assert.True(t, strings.HasPrefix(s.verifyAudit("--config", "gateway.yaml"), "the audit"))
}

// sendRequest sends a request.
func sendRequest(t *testing.T, r *http.Request) answer {
	t.Helper()
	res, err := http.DefaultClient.Do(r)
	require.NoError(t, err)
	defer func() { require.NoError(t, res.Body.Close()) }()
	var b bytes.Buffer
	_, err = b.ReadFrom(res.Body)
	require.NoError(t, err)
	return answer{res.StatusCode, b.String(), res.Header}
}

func TestTheRecordsAreOneDocumentForTheCommandLine(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	s.configure("", "  - stage: policy\n  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	g.admin(201, "POST", "/tenants", `{"name":"Research"}`)
	f := s.run("config", "export", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "name: Research")
	assert.NotContains(t, f.out, "{\"")
	s.write(
		"records.yaml",
		[]byte(
			strings.Replace(
				f.out,
				"name: Research",
				"name: Science",
				1,
			)+"routes:\n  - {id: r1, model_pattern: house, providers: [{provider: mock, model_override: mock-echo}]}\n",
		),
	)
	s.write("records.yaml", []byte(strings.Replace(fileText(t, s.path("records.yaml")), "routes: []\n", "", 1)))

	f = s.run("config", "diff", "--config", "gateway.yaml", "records.yaml")
	assert.Equal(t, 1, f.code, f.err)
	assert.Contains(t, f.out, "update tenants")
	assert.Contains(t, f.out, "create routes r1")
	f = s.run("config", "import", "--config", "gateway.yaml", "records.yaml")
	require.Zero(t, f.code, f.err)
	assert.Zero(t, s.run("config", "diff", "--config", "gateway.yaml", "records.yaml").code)
	c := g.client(testKey)
	eventually(t, "the running gateway has the route", func() bool { return c.chat(t, "house", "hello").content() == "hello" })
	s.write("bad.yaml", []byte("routes:\n  - {id: x, model_pattern: m, providers: [{provider: nobody}]}\n"))
	f = s.run("config", "import", "--config", "gateway.yaml", "bad.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, `unknown provider "nobody"`)

	s.write(
		"reaching.yaml",
		[]byte("webhooks:\n  - {id: w1, name: w, url: 'https://hooks.example.com/x', secret: 0123456789abcdef, event_types: [POLICY_DENIAL]}\n"),
	)
	f = s.run("config", "import", "--config", "gateway.yaml", "reaching.yaml")
	require.Zero(t, f.code, f.err)
	s.write(
		"reaching.yaml",
		[]byte("guardrail_plugins:\n  - {id: g1, name: g, url: 'https://guard.example.com/x', secret: 0123456789abcdef}\n"),
	)
	f = s.run("config", "import", "--config", "gateway.yaml", "reaching.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.err, "the master key is taken from headgate.key", "a secret is sealed under the key that exists")
	f = s.run("config", "export", "--config", "gateway.yaml")
	require.Zero(t, f.code, f.err)
	assert.Contains(t, f.out, "https://guard.example.com/x")
	assert.NotContains(t, f.out, "0123456789abcdef", "an export holds no secret in clear")
}

func fileText(t *testing.T, path string) string {
	t.Helper()
	b, err := os.ReadFile(path)
	require.NoError(t, err)
	return string(b)
}
