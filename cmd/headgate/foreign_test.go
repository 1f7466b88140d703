package main_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
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
