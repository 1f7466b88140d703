package main_test

import (
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/url"
	"regexp"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// visitor is a user's browser at a console.
type visitor struct {
	t    *testing.T
	c    *http.Client
	base string
}

func visit(t *testing.T, base string) *visitor {
	t.Helper()
	jar, err := cookiejar.New(nil)
	require.NoError(t, err)
	return &visitor{t, &http.Client{Jar: jar}, base}
}

func (v *visitor) page(resp *http.Response, err error) (int, string) {
	v.t.Helper()
	require.NoError(v.t, err)
	b, err := io.ReadAll(resp.Body)
	require.NoError(v.t, err)
	require.NoError(v.t, resp.Body.Close())
	return resp.StatusCode, string(b)
}

func (v *visitor) get(path string) (int, string) {
	v.t.Helper()
	return v.page(v.c.Get(v.base + path))
}

func (v *visitor) send(path string, form url.Values) string {
	v.t.Helper()
	status, text := v.page(v.c.PostForm(v.base+path, form))
	require.Equal(v.t, http.StatusOK, status, text)
	return text
}

// serveConsole starts a console beside a gateway, with its configuration and its database.
func (s *site) serveConsole(args ...string) (*gate, string) {
	s.t.Helper()
	c := s.launch(append([]string{"--config", "gateway.yaml", "--role", "console", "--set", "console.listen=127.0.0.1:0"}, args...)...)
	eventually(s.t, "the console serves", func() bool {
		select {
		case <-c.ended:
			require.FailNow(s.t, "the console ended", c.out.String()+c.errs.String())
		default:
		}
		return c.findLogLine("serving") != nil
	})
	return c, "http://" + c.findLogLine("the console is served")["listen"].(string)
}

var (
	setupLink      = regexp.MustCompile(`/setup#([A-Z2-7]{26})`)
	keyShown       = regexp.MustCompile(`value="(gw_[0-9A-Za-z]+)"`)
	workspaceShown = regexp.MustCompile(`/workspaces/([a-z0-9]+)"`)
	revocation     = regexp.MustCompile(`action="(/workspaces/[^"]+/revoke)"`)
)

func TestAConsoleAloneChangesWhatGatewaysDo(t *testing.T) {
	s := newSite(t)
	s.write("gateway.yaml", []byte("console: {listen: off}\n"+configText("", "  - {stage: pii}\n")))
	g := s.serve("--config", "gateway.yaml")
	require.NoError(t, g.client(testKey).checkEcho("mock-echo", "card "+card))
	c, at := s.serveConsole()
	assert.NotContains(t, c.findLogLine("serving"), "listen", "there is no port of a gateway")
	assert.NotContains(t, c.findLogLine("serving"), "metrics")

	v := visit(t, at)
	status, text := v.get("/")
	require.Equal(t, http.StatusOK, status)
	require.Contains(t, text, "Set up the owner")
	code := setupLink.FindStringSubmatch(c.errs.String())
	require.NotNil(t, code, c.errs.String())
	v.send(
		"/setup",
		url.Values{"code": {code[1]}, "name": {"Ada"}, "email": {"ada@example.com"}, "password": {"correct horse battery"}, "again": {"correct horse battery"}},
	)
	text = v.send("/workspaces", url.Values{"name": {"Research"}})
	tenant := workspaceShown.FindStringSubmatch(text)
	require.NotNil(t, tenant, text)
	text = v.send("/workspaces/"+tenant[1]+"/keys", url.Values{"name": {"ci"}, "scopes": {"completions:write"}})
	key := keyShown.FindStringSubmatch(text)
	require.NotNil(t, key)
	fresh := g.client(key[1])
	eventually(t, "the key is in force at the gateway", func() bool {
		a, err := fresh.try("mock-echo", "hello")
		return err == nil && a.status == http.StatusOK
	})
	_, text = v.get("/workspaces/" + tenant[1])
	v.send(revocation.FindStringSubmatch(text)[1], url.Values{"typed": {"ci"}})
	eventually(t, "the key has ended at the gateway", func() bool {
		a, err := fresh.try("mock-echo", "hello")
		return err == nil && a.status == http.StatusUnauthorized
	})
	// The file's keys belong to the gateway, and stay.
	require.NoError(t, g.client(testKey).checkEcho("mock-echo", "card "+card))
	status, _ = v.get("/v1/models")
	assert.Equal(t, http.StatusNotFound, status)
	status, _ = v.get("/actuator/health/readiness")
	assert.Equal(t, http.StatusOK, status)

	c.stop()
	require.NoError(t, g.client(testKey).checkEcho("mock-echo", "card "+card))
	_, at = s.serveConsole()
	status, text = visit(t, at).get("/")
	require.Equal(t, http.StatusOK, status)
	assert.Contains(t, text, "Sign in to Headgate")
	out := s.run("audit", "verify", "--config", "gateway.yaml").out
	assert.Contains(t, out, ".console", "its own chain beside that of the gateway")
}

func TestAConsoleThatOthersReachAsksForACodeThatOnlyTheTerminalShows(t *testing.T) {
	s := newSite(t)
	s.write("gateway.yaml", []byte("console: {url: \"https://headgate.example.com\"}\n"+configText("", "")))
	g := s.serve("--config", "gateway.yaml")
	code := setupLink.FindStringSubmatch(g.errs.String())
	require.NotNil(t, code, g.errs.String())
	assert.NotContains(t, g.out.String(), code[1])
	at := "http://" + g.findLogLine("the console is served")["listen"].(string)
	form := url.Values{
		"name":     {"Ada"},
		"email":    {"ada@example.com"},
		"password": {"correct horse battery"},
		"again":    {"correct horse battery"},
	}
	post := func() (int, string) {
		req, err := http.NewRequest(http.MethodPost, at+"/setup", strings.NewReader(form.Encode()))
		require.NoError(t, err)
		req.Host = "headgate.example.com"
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		c := &http.Client{CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}
		v := &visitor{t: t, c: c}
		return v.page(c.Do(req))
	}
	status, text := post()
	assert.Equal(t, http.StatusBadRequest, status)
	assert.Contains(t, text, "not the code")
	form.Set("code", code[1])
	status, _ = post()
	assert.Equal(t, http.StatusSeeOther, status)
	g.stop()
	again := s.serve("--config", "gateway.yaml")
	assert.NotContains(t, again.errs.String(), "/setup#", "there is an owner")
}
