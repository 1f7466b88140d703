package main_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A Rego policy compiled by OPA and an Extism plug-in, built by their own toolchains, in one running chain.
func TestAPolicyOfOPAAndAnExtismPluginGuardTogether(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	for _, name := range []string{"model-access", "codenames"} {
		for _, file := range []string{name + ".wasm", name + ".wasm.yaml"} {
			s.copy("plugins/"+file, fromRoot(t, "sdk/samples/"+name+"/"+file))
		}
	}
	s.configure("", `  - {wasm: model-access.wasm, timeout: 5s, config: {settings: {models: {default: [mock-e]}, most_tokens: 100}}}
  - {wasm: codenames.wasm, timeout: 5s, config: {action: redact, settings: {words: "apollo, zephyr"}}}
`)
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	a := c.chat(t, "mock-json", "hello")
	assert.Equal(t, http.StatusForbidden, a.status)
	assert.Equal(t, "POLICY_DENIED", a.code())
	assert.Contains(t, a.body, "the tenant default must not use the model mock-json")

	a = c.chat(t, "mock-echo", "the apollo plan, apollonian")
	assert.Equal(t, http.StatusOK, a.status)
	assert.Regexp(t, `^the \{\{PII_CODENAME_[0-9a-f]+\}\} plan, apollonian$`, a.content(), "taken out of the request; nothing restores it")

	long, err := c.do(
		"POST",
		"/v1/chat/completions",
		[]byte(`{"model":"mock-echo","max_tokens":101,"messages":[{"role":"user","content":"hi"}]}`),
	)
	assert.NoError(t, err)
	assert.Contains(t, long.body, "an answer may have at most 100 tokens")
	assert.Positive(t, g.metric("headgate_verdicts_total", `link="model-access"`, `action="block"`))
	assert.Positive(t, g.metric("headgate_verdicts_total", `link="codenames"`, `action="rewrite"`))
}

// Modules of http-wasm: its own sample that takes words out, and a guest that answers what it is told.
func TestHTTPWasmModulesGuardRequestsAnswersAndStreams(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/redact.wasm", fromRoot(t, "wasm/testdata/http-wasm/redact.wasm"))
	s.copy("plugins/script.wasm", fromRoot(t, "wasm/testdata/http.wasm"))
	s.configure("", `  - {wasm: redact.wasm, timeout: 5s, config: {settings: {config: open sesame}}}
  - {wasm: script.wasm, timeout: 5s}
`)
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	a := c.chat(t, "mock-echo", "zplease open sesame, door")
	assert.Equal(t, http.StatusOK, a.status)
	assert.Equal(t, "zplease ###########, door", a.content())

	streamed, err := c.do("POST", "/v1/chat/completions",
		[]byte(`{"model":"mock-echo","stream":true,"messages":[{"role":"user","content":"c2;|uwitch=*****;z a witch"}]}`))
	require.NoError(t, err)
	assert.Equal(t, http.StatusOK, streamed.status)
	assert.Contains(t, streamed.body, "*****")
	assert.NotContains(t, streamed.body, "a witch", "nothing of the answer was sent before it was judged")

	for path, want := range map[string]string{"/v1/chat/completions": `"code":"POLICY_DENIED"`, "/v1/messages": `"type":"error"`} {
		refused, err := c.do("POST", path,
			[]byte(`{"model":"mock-echo","max_tokens":10,"messages":[{"role":"user","content":"s403;hx-why=me;wnot on my watch;n0;"}]}`))
		require.NoError(t, err)
		assert.Equal(t, http.StatusForbidden, refused.status)
		assert.Contains(t, refused.body, want)
		assert.Contains(t, refused.body, "not on my watch")
		replied, err := c.do("POST", path,
			[]byte(`{"model":"mock-echo","max_tokens":10,"messages":[{"role":"user","content":"wfrom the edge;n0;"}]}`))
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, replied.status, replied.body)
		assert.Contains(t, replied.body, "from the edge")
	}
	broken, err := c.do("POST", "/v1/chat/completions",
		[]byte(`{"model":"mock-echo","messages":[{"role":"user","content":"n0;"}]}`))
	require.NoError(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, broken.status, "a guest at fault blocks")
	assert.Contains(t, broken.body, "guard_unavailable")
}
