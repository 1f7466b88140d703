package proxy_test

import (
	"encoding/json"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

func TestARuleForAModelHoldsHoweverAClientSpellsIt(t *testing.T) {
	guard := link("no-test-model", acts{check: func(*core.Exchange, core.Phase) (core.Verdict, error) { return objection(), nil }}, core.Request)
	guard.For.Models = []string{"gpt-te*"}
	fake := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{links: []chain.Link{guard}, url: fake.url})
	for _, name := range []string{"gpt-test", "GPT-TEST", "Gpt-Test", "openai/GPT-test", "OpenAI/gpt-test"} {
		a := g.post("dev", `{"model":"`+name+`","messages":[{"role":"user","content":"hi"}]}`)
		assert.Equal(t, 400, a.status, "%s: %s", name, a.body)
		assert.Contains(t, a.body, "content_filter", name)
	}
	assert.Empty(t, fake.requests())
}

func TestAModelNameThatCouldMeanAnotherIsRefusedInTheClientsShape(t *testing.T) {
	fake := newFake(t, says(buildWhole(200, "application/json", completion("hi"))))
	g := open(t, setup{url: fake.url})
	for _, name := range []string{"gpt-test ", " gpt-test", "gpt-test\n", "openai//gpt-test", "openai/../gpt-test", "ｇｐｔ-test", "gpt-test\u200b"} {
		quoted, err := json.Marshal(name)
		require.NoError(t, err)
		a := g.post("dev", `{"model":`+string(quoted)+`,"messages":[{"role":"user","content":"hi"}]}`)
		assert.Equal(t, 400, a.status, "%q: %s", name, a.body)
		assert.Contains(t, a.body, `"param":"model"`)
		assert.Contains(t, a.body, "the name of the model")
	}
	assert.Empty(t, fake.requests())
}

func TestTheNameOfAnUnknownModelIsNotRecordedInClear(t *testing.T) {
	const secret = "sk-proj-canary0123456789"
	g := open(t, setup{})
	a := g.post("dev", `{"model":"`+secret+`","messages":[{"role":"user","content":"hi"}]}`)
	require.Equal(t, 404, a.status, a.body)
	res := g.outcome()
	assert.True(t, strings.HasPrefix(res["model"].(string), "unknown:"), res["model"])
	g.end()
	assert.NotContains(t, g.lines.String(), secret)
}
