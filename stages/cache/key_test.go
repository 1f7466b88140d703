package cache

import (
	"crypto/sha256"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// keyFor is the key of a call.
func keyFor(t *testing.T, c call, generation string) key {
	t.Helper()
	w := &work{hash: sha256.New()}
	k, err := w.keyOf((&bench{t: t}).open(c), generation)
	require.NoError(t, err)
	return k
}

func TestWhatDecidesOverAnAnswerIsPartOfItsKey(t *testing.T) {
	base := keyFor(t, call{body: ask("hi")}, "")
	seen := map[key]string{base: "the request"}
	member := func(m string) string { return strings.Replace(ask("hi"), "{", "{"+m+",", 1) }
	header := func(name string, v ...string) call { return call{body: ask("hi"), header: http.Header{name: v}} }
	for name, c := range map[string]call{
		"another tenant":              {tenant: "u", body: ask("hi")},
		"another text":                {body: ask("Hi")},
		"another role":                {body: strings.Replace(ask("hi"), `"user"`, `"system"`, 1)},
		"another model":               {body: strings.Replace(ask("hi"), `"m"`, `"n"`, 1)},
		"a routed model":              {body: ask("hi"), edit: func(x *core.Exchange) { x.Route("n") }},
		"another shape":               {body: ask("hi"), edit: func(x *core.Exchange) { x.Dialect = "openai.completions" }},
		"a stream":                    {body: askStream("hi")},
		"a stream with its usage":     {body: strings.Replace(askStream("hi"), "{", `{"stream_options":{"include_usage":true},`, 1)},
		"an effort":                   {body: member(`"reasoning_effort":"low"`)},
		"an effort in the name":       {body: ask("hi"), edit: func(x *core.Exchange) { x.Head.Effort = "high" }},
		"a temperature":               {body: member(`"temperature":0`)},
		"a seed":                      {body: member(`"seed":1`)},
		"a limit":                     {body: member(`"max_tokens":5`)},
		"a tool":                      {body: member(`"tools":[{"type":"function","function":{"name":"f"}}]`)},
		"a field that nobody knows":   {body: member(`"x":1`)},
		"the wish to be stored":       {body: member(`"store":true`)},
		"a service tier":              {body: member(`"service_tier":"flex"`)},
		"a beta":                      header("Openai-Beta", "a"),
		"two betas":                   header("Openai-Beta", "a", "b"),
		"two betas in one line":       header("Openai-Beta", "ab"),
		"a beta of the Messages API":  header("Anthropic-Beta", "a"),
		"the same by its other name":  header("Msgapi-Beta", "a"),
		"a version of the shape":      header("Anthropic-Version", "a"),
		"by its other name":           header("Msgapi-Version", "a"),
		"two messages instead of one": {body: `{"model":"m","messages":[{"role":"user","content":"h"},{"role":"user","content":"i"}]}`},
	} {
		k := keyFor(t, c, "")
		assert.Empty(t, seen[k], "%s is as good as %s", name, seen[k])
		seen[k] = name
	}
	assert.NotEqual(t, base, keyFor(t, call{body: ask("hi")}, "b"), "another generation")
}

func TestWhatDoesNotDecideOverAnAnswerIsNoPartOfItsKey(t *testing.T) {
	base := keyFor(t, call{body: ask("hi")}, "")
	for _, m := range []string{`"user":"u"`, `"metadata":{"a":"b"}`, `"safety_identifier":"s"`, `"prompt_cache_key":"k"`, `"prompt_cache_retention":"24h"`, `"stream":false`} {
		assert.Equal(t, base, keyFor(t, call{body: strings.Replace(ask("hi"), "{", "{"+m+",", 1)}, ""), m)
	}
	assert.Equal(
		t,
		base,
		keyFor(t, call{body: ask("hi"), header: http.Header{"Authorization": {"a"}, "User-Agent": {"b"}, "X-Trace-Id": {"c"}}}, ""),
	)

	// An answer in the Responses shape repeats them, and must not give one caller's to another.
	repeating := func(x *core.Exchange) { x.Dialect = "openai.responses" }
	plain := keyFor(t, call{body: ask("hi"), edit: repeating}, "")
	assert.NotEqual(t, plain, keyFor(t, call{body: strings.Replace(ask("hi"), "{", `{"metadata":{"a":"b"},`, 1), edit: repeating}, ""))
}

func TestTheKeyFollowsFromTheTextsAsTheLinksBeforeHaveMadeThem(t *testing.T) {
	b := newBench(t, "{}", nil, chain.Link{Name: "before", Stage: requests{"secret", "placeholder"}, Phases: core.PhaseSet(core.Request)})
	b.send(call{body: ask("a secret"), answer: says("one")})
	for k := range b.stage.shelves.of("t").items {
		assert.Equal(t, keyFor(t, call{body: ask("a placeholder")}, ""), k)
	}
	g := b.send(call{body: ask("a placeholder"), answer: says("two")})
	assert.Equal(t, "HIT", g.cache)
}
