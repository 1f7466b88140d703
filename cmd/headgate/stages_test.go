package main_test

import (
	"net/http"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scripted is a stage that executes the script in its settings; see wasm/testdata/stage.c.
const scriptedManifest = `name: scripted
kind: stage
phases: [request, response, stream_end, finish]
capabilities: [state, redact, patch, notify, call, restore]
reads:
  fields: [model, tenant, user]
  text: [user, assistant]
`

func TestAStageIsDroppedIn(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", everyPlugin) // action applies to detectors, and does not exclude a stage
	g := s.serve("--config", "gateway.yaml")
	module := fromRoot(t, "wasm/testdata/look.wasm")
	s.copy("plugins/look.wasm", module)
	g.awaitModule("look.wasm", digest(module))
	// The stage is loaded before the chain with it is in force.
	eventually(t, "the stage is in the chain", func() bool { return slices.Equal(g.status().links(), []string{"pii", "look"}) })
	a := g.client(testKey).chat(t, "mock-echo", "hello")
	assert.Equal(t, http.StatusOK, a.status)
	assert.Contains(t, a.header.Get("Server-Timing"), "look")
	a = g.client(testKey).chat(t, "forbidden-model", "hello")
	assert.Equal(t, http.StatusForbidden, a.status)
	assert.Equal(t, "POLICY_DENIED", a.code())
	assert.Positive(t, g.metric("headgate_wasm_calls_total", `digest="`+digest(module)+`"`))
	assert.Positive(t, g.metric("headgate_verdicts_total", `link="look"`, `action="block"`))
}

func TestAStageHasTheGrantOfItsLinkAndTheStateOfTheGateway(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/stage.wasm", fromRoot(t, "wasm/testdata/stage.wasm"))
	s.copy("plugins/stage.wasm.yaml", []byte(scriptedManifest))
	const link = "  - {wasm: stage.wasm, name: scripted, timeout: 5s, grant: {fields: [tenant], text: []}, config: {settings: {script: \"1 f 1;1 f 2;1 c;1 t 1 k 1 2 3600000;1 o;\"}}}\n"
	s.configure("", link)
	g := s.serve("--config", "gateway.yaml")
	assert.Equal(t, "!2 default 0 1/1/0", g.client(testKey).chat(t, "mock-echo", "hello").header.Get("X-Out"))
	assert.Equal(t, "!2 default 0 1/0/0", g.client(testKey).chat(t, "mock-echo", "hello").header.Get("X-Out"))
}

func TestAStageRespondsInTheShapeOfTheClient(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/stage.wasm", fromRoot(t, "wasm/testdata/stage.wasm"))
	s.copy("plugins/stage.wasm.yaml", []byte(scriptedManifest))
	s.configure("", "  - {wasm: stage.wasm, timeout: 5s, config: {settings: {script: \"1 p no-model;\"}}}\n")
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	assert.Equal(t, "no-model", c.chat(t, "mock-echo", "hello").content())
	for path, body := range map[string]string{
		"/v1/chat/completions": `{"model":"mock-echo","stream":true,"messages":[{"role":"user","content":"a"}]}`,
		"/v1/completions":      `{"model":"mock-echo","prompt":"a"}`,
		"/v1/responses":        `{"model":"mock-echo","input":"a","stream":true}`,
		"/v1/messages":         `{"model":"mock-echo","max_tokens":9,"messages":[{"role":"user","content":"a"}],"stream":true}`,
		"/v1beta/models/mock-echo:generateContent":       `{"contents":[{"parts":[{"text":"a"}]}]}`,
		"/v1beta/models/mock-echo:streamGenerateContent": `{"contents":[{"parts":[{"text":"a"}]}]}`,
	} {
		a, err := c.do(http.MethodPost, path, []byte(body))
		require.NoError(t, err)
		assert.Equal(t, http.StatusOK, a.status, "%s: %s", path, a.body)
		assert.Contains(t, a.body, "no-model", path)
	}
	a, err := c.do(http.MethodPost, "/v1/embeddings", []byte(`{"model":"text-embedding-mock","input":"a"}`))
	require.NoError(t, err)
	assert.Equal(t, http.StatusServiceUnavailable, a.status, a.body)
	assert.Equal(t, "guard_unavailable", a.code())
}

func TestAStageChangesAndDeniesAnswersOfEveryShapeWholeAndStreamed(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/stage.wasm", fromRoot(t, "wasm/testdata/stage.wasm"))
	s.copy("plugins/stage.wasm.yaml", []byte(scriptedManifest))
	s.configure("", "  - {wasm: stage.wasm, name: changes, timeout: 5s, config: {settings: {script: \"3 e 0 0 0 [seen];3 a x-seen yes;\"}}}\n")
	g := s.serve("--config", "gateway.yaml")
	calls := map[string]string{
		"/v1/chat/completions": `{"model":"mock-echo","messages":[{"role":"user","content":"hello"}]%s}`,
		"/v1/completions":      `{"model":"mock-echo","prompt":"hello"%s}`,
		"/v1/responses":        `{"model":"mock-echo","input":"hello"%s}`,
		"/v1/messages":         `{"model":"mock-echo","max_tokens":99,"messages":[{"role":"user","content":"hello"}]%s}`,
		"/v1beta/models/mock-echo:generateContent":       `{"contents":[{"parts":[{"text":"hello"}]}]}`,
		"/v1beta/models/mock-echo:streamGenerateContent": `{"contents":[{"parts":[{"text":"hello"}]}]}`,
	}
	each := func(check func(path string, stream bool, a answer)) {
		for path, body := range calls {
			for _, more := range []string{"", `,"stream":true`} {
				text := strings.Replace(body, "%s", more, 1)
				if more != "" && text == body {
					continue
				}
				a, err := g.client(testKey).do(http.MethodPost, path, []byte(text))
				require.NoError(t, err)
				check(path, more != "", a)
			}
		}
	}
	each(func(path string, stream bool, a answer) {
		assert.Equal(t, http.StatusOK, a.status, "%s: %s", path, a.body)
		assert.Contains(t, a.body, "[seen]", "%s, streamed %t", path, stream)
		assert.Equal(t, "yes", a.header.Get("X-Seen"), "%s, streamed %t", path, stream)
	})
	s.configure("", "  - {wasm: stage.wasm, name: denies, timeout: 5s, config: {settings: {script: \"3 d not_this no 0;\"}}}\n")
	eventually(t, "the other chain is in force", func() bool { return g.status().links()[0] == "denies" })
	each(func(path string, stream bool, a answer) {
		assert.Equal(t, http.StatusBadRequest, a.status, "%s, streamed %t: %s", path, stream, a.body)
		assert.NotContains(t, a.body, "hello", path)
	})
}

func TestAStageHearsHowAnExchangeEnded(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/stage.wasm", fromRoot(t, "wasm/testdata/stage.wasm"))
	s.copy("plugins/stage.wasm.yaml", []byte(strings.Replace(scriptedManifest, "user]", "user, usage, outcome, complete, status, finish]", 1)))
	s.configure(
		"",
		"  - {wasm: stage.wasm, timeout: 5s, config: {settings: {script: \"1 k kept;4 c;4 f 22;4 l;5 K;5 f 25;5 f 20;5 f 30;5 l;\"}}}\n",
	)
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	said := func(line string) func() bool {
		return func() bool { return strings.Contains(g.out.String(), "stage.wasm: "+line) }
	}
	c.chat(t, "mock-echo", "hello")
	eventually(t, "the stage sees an answer", said("kept served 200 1"))
	_, err := c.do(
		http.MethodPost,
		"/v1/chat/completions",
		[]byte(`{"model":"mock-echo","stream":true,"messages":[{"role":"user","content":"hello"}]}`),
	)
	require.NoError(t, err)
	eventually(t, "the stage sees the end of a stream", said("1 stop"))
	c.chat(t, "gpt-4o", "hello") // its provider is not there
	eventually(t, "the stage sees a failure", said("kept upstream_error 50"))
}

func TestAStageThatItsLinkDoesNotFitIsRefusedWithTheReason(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/stage.wasm", fromRoot(t, "wasm/testdata/stage.wasm"))
	s.copy("plugins/stage.wasm.yaml", []byte(scriptedManifest))
	for says, link := range map[string]string{
		"action: only for detectors":      "  - {wasm: stage.wasm, config: {action: block}}\n",
		`asks for the capability "state"`: "  - {wasm: stage.wasm, grant: {capabilities: []}}\n",
	} {
		s.configure("", link)
		f := s.run("serve", "--config", "gateway.yaml")
		assert.NotZero(t, f.code)
		assert.Contains(t, f.out+f.err, says)
	}
}
