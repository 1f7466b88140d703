package console

import (
	"encoding/json"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/llm"
)

// fakeGateway is a data plane that answers each call with the name of the model, and refuses the model "broken".
type fakeGateway struct {
	mu      sync.Mutex
	bodies  []string
	grants  []proxy.Grant
	recent  *recent.Ring
	arrived func()         // called at the start of a call; optional
	waiting sync.WaitGroup // each call waits for it
}

func (f *fakeGateway) ServeGrant(w http.ResponseWriter, r *http.Request, g proxy.Grant) {
	body, err := io.ReadAll(r.Body)
	if err != nil {
		panic(err)
	}
	var sent struct{ Model string }
	if err := json.Unmarshal(body, &sent); err != nil {
		panic(err)
	}
	if sent.Model == "torn" {
		panic(http.ErrAbortHandler) // as the data plane does with an answer that ends early
	}
	if f.arrived != nil {
		f.arrived()
	}
	f.waiting.Wait()
	f.mu.Lock()
	defer f.mu.Unlock()
	f.recent.Add(newPlayExchange(sent.Model, g.Tenant, g.Down), 120*time.Millisecond)
	f.bodies, f.grants = append(f.bodies, string(body)), append(f.grants, g)
	w.Header().Set("X-Trace-Id", "trace-"+sent.Model)
	if sent.Model == "broken" {
		w.WriteHeader(http.StatusBadGateway)
		_, _ = fmt.Fprint(w, `{"error":{"message":"the provider does not answer"}}`)
		return
	}
	_, _ = fmt.Fprintf(w, `{"choices":[{"message":{"content":"I am %s."}}]}`, sent.Model)
}

// newPlayExchange returns the exchange of a call: the provider p1 served it, after down was skipped, if given.
func newPlayExchange(model, tenant, down string) *core.Exchange {
	at := core.TargetRef{Provider: "p1", Model: model + "-sent"}
	x := &core.Exchange{
		ID: "id-" + model, Trace: "trace-" + model, Principal: &core.Principal{Tenant: tenant, KeyID: recent.PlaygroundKey}, Target: at,
		Head: core.Head{Model: model}, Attempts: []core.Attempt{{Target: at, Status: http.StatusOK}}, Outcome: core.Outcome{Kind: core.Served},
		Received: time.Now(), Usage: llm.Usage{Reported: true, Input: 11, Output: 22}, Cost: 5_000_000_000, Priced: true,
		Visits: []core.Visit{{Link: "guard-of-" + model, Phase: core.Request, Action: core.Pass}},
	}
	if down != "" {
		x.Skipped = []core.Attempt{{Target: core.TargetRef{Provider: down, Model: "m0"}, Began: x.Received}}
	}
	return x
}

func (f *fakeGateway) Models() []string { return []string{"m1", "m2", "m3"} }

func (f *fakeGateway) Providers() []string { return []string{"p0", "p1"} }

func (f *fakeGateway) Shadowable() []string { return nil }

// servePlayground serves a console with a playground, and returns the browser of a user with the roles.
func servePlayground(t *testing.T, roles ...auth.Role) (*fakeGateway, *browser) {
	t.Helper()
	f := &fakeGateway{recent: recent.New()}
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.Playground, o.Recent = f, f.recent })
	s.user("tenant", auth.RoleDeveloper) // creates the workspace t1
	return f, s.signedIn(s.user("ada", roles...))
}

func TestThePlaygroundSendsASystemPromptAndParametersThatAreGiven(t *testing.T) {
	for name, c := range map[string]struct {
		form url.Values
		body string
	}{
		"nothing is given": {
			url.Values{"system": {""}, "temperature": {""}, "max_tokens": {" "}},
			`{"model":"m1","stream":false,"messages":[{"role":"user","content":"Hi"}]}`,
		},
		"everything is given, and zero is not the same as empty": {
			url.Values{"system": {"Be brief."}, "temperature": {"0"}, "max_tokens": {"64"}},
			`{"model":"m1","stream":false,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"Hi"}],` +
				`"temperature":0,"max_completion_tokens":64}`,
		},
		"the system prompt precedes the conversation": {
			url.Values{"system": {"Be brief."}, "role": {"user", "assistant", "system"}, "content": {"A", "B", "not from this page"}},
			`{"model":"m1","stream":false,"messages":[{"role":"system","content":"Be brief."},{"role":"user","content":"A"},` +
				`{"role":"assistant","content":"B"},{"role":"user","content":"Hi"}]}`,
		},
	} {
		t.Run(name, func(t *testing.T) {
			f, b := servePlayground(t, auth.RoleOwner)
			c.form.Set("tenant", "t1")
			c.form.Set("model", "m1")
			c.form.Set("message", "Hi")
			a := b.post("/try", c.form)
			require.Equal(t, http.StatusOK, a.status, a.body)
			assert.Contains(t, a.body, "I am m1.")
			assert.Equal(t, []string{c.body}, f.bodies)
			assert.Equal(t, c.form.Get("system") != "", strings.Contains(a.body, "<details open>"), "the section of filled fields stays open")
			require.Equal(t, http.StatusOK, b.post("/try/stream", c.form).status)
			assert.Equal(t, strings.Replace(c.body, `"stream":false`, `"stream":true`, 1), f.bodies[1])
		})
	}
}

func TestThePlaygroundRefusesParametersThatNoProviderAccepts(t *testing.T) {
	f, b := servePlayground(t, auth.RoleOwner)
	for _, c := range []struct{ field, value, says string }{
		{"temperature", "warm", "Write a number from 0 to 2"},
		{"temperature", "NaN", "Write a number from 0 to 2"},
		{"temperature", "-0.1", "Write a number from 0 to 2"},
		{"temperature", "2.01", "Write a number from 0 to 2"},
		{"max_tokens", "0", "Write a number of at least 1"},
		{"max_tokens", "1.5", "Write a whole number"},
		{"system", strings.Repeat("x", maxPromptBytes), "The conversation is too long"},
	} {
		form := url.Values{"tenant": {"t1"}, "model": {"m1"}, "message": {"Hi"}, c.field: {c.value}}
		assert.Contains(t, b.post("/try", form).body, c.says, c)
		a := b.post("/try/stream", form)
		assert.Equal(t, http.StatusBadRequest, a.status, c)
		assert.Contains(t, a.body, c.says, c)
	}
	assert.Empty(t, f.bodies)
}

func TestThePlaygroundTreatsAProviderAsDownAndShowsWhichOneServed(t *testing.T) {
	f, b := servePlayground(t, auth.RoleOwner)
	form := url.Values{"tenant": {"t1"}, "model": {"m1"}, "message": {"Hi"}, "down": {"p0"}}
	const says = "p0 was treated as down and skipped. p1 · m1-sent served the request."
	a := b.post("/try", form)
	require.Equal(t, http.StatusOK, a.status, a.body)
	assert.Contains(t, a.body, says)
	assert.Contains(t, a.body, `data-state="skipped"`)
	assert.Contains(t, a.body, `<option value="p0" selected>p0</option>`, "the choice stays for the next message")
	require.Equal(t, http.StatusOK, b.post("/try/stream", form).status)
	form.Set("model2", "m2")
	a = b.post("/try/compare", form)
	assert.Contains(t, a.body, says)
	assert.Contains(t, a.body, "p0 was treated as down and skipped. p1 · m2-sent served the request.")
	require.Len(t, f.grants, 4)
	for _, g := range f.grants {
		assert.Equal(t, "p0", g.Down)
	}
	form.Set("down", "")
	assert.NotContains(t, b.post("/try", form).body, "was treated as down")
	assert.Empty(t, f.grants[4].Down)

	f, b = servePlayground(t, auth.RoleViewer)
	form.Set("down", "p0")
	for _, path := range []string{"/try", "/try/stream", "/try/compare"} {
		assert.Equal(t, http.StatusForbidden, b.post(path, form).status, path)
	}
	assert.Empty(t, f.grants)
}
