package cache

import (
	"crypto/sha256"
	"math/rand/v2"
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/recall"
)

// keyFor returns the key of a call.
func keyFor(t *testing.T, c call, generation string) key {
	t.Helper()
	return keyWith(t, c, generation, nil)
}

// keyWith returns the key of a call in which a hasher's sums replace long texts.
func keyWith(t *testing.T, c call, generation string, h recall.Memory) key {
	t.Helper()
	w := &work{hash: sha256.New()}
	edited := recall.NewPart(h, "")
	k, err := w.keyOf((&bench{t: t}).open(c), generation, h, &edited)
	require.NoError(t, err)
	return k
}

// randomAsk returns a request of few pieces, so that two of them are often equal, in any order of members.
func randomAsk(r *rand.Rand) string {
	long := strings.Repeat("a text that is long enough to be hashed, ", 2)
	texts := []string{"hi", long, long + "!", long + `\n`, long + `\u000a`, `{\"a\":\"` + long + `\"}`, `\u0001` + long[:62], ""}
	text := func() string { return `"` + texts[r.IntN(len(texts))] + `"` }
	var messages []string
	for range 1 + r.IntN(2) {
		m := []string{`"role":"user"`, `"content":` + text()}
		switch r.IntN(4) {
		case 0:
			m[1] = `"content":[{"type":"text","text":` + text() + `},{"text":` + text() + `,"type":"text"}]`
		case 1:
			m = []string{`"role":"assistant"`, `"tool_calls":[{"id":"c","type":"function","function":{"name":"f","arguments":` + text() + `}}]`}
		}
		r.Shuffle(len(m), func(i, j int) { m[i], m[j] = m[j], m[i] })
		messages = append(messages, "{"+strings.Join(m, ",")+"}")
	}
	return `{"model":"m","messages":[` + strings.Join(messages, ", "[:1+r.IntN(2)]) + `],"x":` + text() + `,` + text() + `:1}`
}

// replaceText returns a link that edits some texts.
func replaceText(r *rand.Rand) func(x *core.Exchange) {
	return func(x *core.Exchange) {
		for i := range x.Request.Segments {
			if n := len(x.Request.Text(i)); n > 4 && r.IntN(4) == 0 {
				x.Request.Apply([]core.Edit{{Segment: i, Start: n - 4, End: n - r.IntN(3), With: "xyz"[:1+r.IntN(2)]}})
			}
		}
	}
}

// The plain key is the oracle. Requests that differ must never share a key. Equal ones may have two keys if an edit
// made them equal, which costs an extra call.
func TestAKeyOfSumsTellsApartWhatTheKeyOfAllBytesTellsApart(t *testing.T) {
	h := chain.NewMemory(1 << 20)
	type pair struct{ plain, summed key }
	var unedited, all []pair
	for seed := range uint64(1500) {
		r := rand.New(rand.NewPCG(seed, 4))
		c := call{body: randomAsk(r)}
		if seed%3 == 0 {
			c.edit = replaceText(rand.New(rand.NewPCG(seed%16, 5)))
		}
		p := pair{plain: keyFor(t, c, "")}
		if c.edit != nil {
			c.edit = replaceText(rand.New(rand.NewPCG(seed%16, 5))) // the same edits again
		} else {
			unedited = append(unedited, p)
		}
		p.summed = keyWith(t, c, "", h)
		if c.edit == nil {
			unedited[len(unedited)-1] = p
		}
		all = append(all, p)
	}
	bySum := map[key]key{}
	for _, p := range all {
		if known, ok := bySum[p.summed]; ok {
			require.Equal(t, known, p.plain, "different requests share a key")
		}
		bySum[p.summed] = p.plain
	}
	byPlain, again := map[key]key{}, 0
	for _, p := range unedited {
		if known, ok := byPlain[p.plain]; ok {
			again++
			require.Equal(t, known, p.summed, "equal requests have two keys")
		}
		byPlain[p.plain] = p.summed
	}
	assert.Greater(t, again, 50, "some requests are equal")
	assert.Greater(t, len(byPlain), 100, "and many are not")
}

func TestKeysThatNodesShareDoNotDependOnTheProcess(t *testing.T) {
	long := strings.Repeat("a text that is long enough to be hashed, ", 3)
	one, other := chain.NewMemory(0), chain.NewMemory(0)
	assert.NotEqual(t, keyWith(t, call{body: ask(long)}, "", one), keyWith(t, call{body: ask(long)}, "", other), "sums are keyed")
	for store, hashed := range map[string]bool{"memory": true, "shared": false} {
		st, err := New(block("store: "+store), Deps{State: &fakeState{}, Memory: one})
		require.NoError(t, err)
		assert.Equal(t, hashed, st.(*Stage).memory != nil, store)
	}
}

func TestWhatDecidesOverAnAnswerIsPartOfItsKey(t *testing.T) {
	for name, h := range map[string]recall.Memory{"all bytes": nil, "sums": chain.NewMemory(0)} {
		t.Run(name, func(t *testing.T) {
			keysDiffer(t, func(c call, generation string) key { return keyWith(t, c, generation, h) })
		})
	}
}

func keysDiffer(t *testing.T, keyFor func(c call, generation string) key) {
	base := keyFor(call{body: ask("hi")}, "")
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
		"an unknown field":            {body: member(`"x":1`)},
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
		k := keyFor(c, "")
		assert.Empty(t, seen[k], "%s is as good as %s", name, seen[k])
		seen[k] = name
	}
	assert.NotEqual(t, base, keyFor(call{body: ask("hi")}, "b"), "another generation")
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

	// An answer in the Responses shape repeats these members, so one caller's must not reach another.
	repeating := func(x *core.Exchange) { x.Dialect = "openai.responses" }
	plain := keyFor(t, call{body: ask("hi"), edit: repeating}, "")
	assert.NotEqual(t, plain, keyFor(t, call{body: strings.Replace(ask("hi"), "{", `{"metadata":{"a":"b"},`, 1), edit: repeating}, ""))
}

func TestTheKeyFollowsFromTheTextsAsTheLinksBeforeHaveMadeThem(t *testing.T) {
	b := newBench(t, "{}", nil, chain.Link{Name: "before", Stage: requests{"secret", "placeholder"}, Phases: core.PhaseSet(core.Request)})
	b.send(call{body: ask("a secret"), answer: says("one")})
	for k := range b.stage.shelves.loadShelf("t").items {
		assert.Equal(t, keyFor(t, call{body: ask("a placeholder")}, ""), k)
	}
	g := b.send(call{body: ask("a placeholder"), answer: says("two")})
	assert.Equal(t, "HIT", g.cache)
}
