package cache

import (
	"crypto/sha256"
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/stages/cache/cachetest"
)

// keyFor returns the key of a call.
func keyFor(t *testing.T, c cachetest.Call, generation string) key {
	t.Helper()
	return keyWith(t, c, generation, nil)
}

// keyWith returns the key of a call in which a hasher's sums replace long texts.
func keyWith(t *testing.T, c cachetest.Call, generation string, h recall.Memory) key {
	t.Helper()
	w := &work{hash: sha256.New()}
	edited := recall.NewPart(h, "")
	k, err := w.computeKey(cachetest.Open(t, c), generation, h, &edited)
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
			if n := len(x.Request.ReadText(i)); n > 4 && r.IntN(4) == 0 {
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
		c := cachetest.Call{Body: randomAsk(r)}
		if seed%3 == 0 {
			c.Edit = replaceText(rand.New(rand.NewPCG(seed%16, 5)))
		}
		p := pair{plain: keyFor(t, c, "")}
		if c.Edit != nil {
			c.Edit = replaceText(rand.New(rand.NewPCG(seed%16, 5))) // the same edits again
		} else {
			unedited = append(unedited, p)
		}
		p.summed = keyWith(t, c, "", h)
		if c.Edit == nil {
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
	assert.NotEqual(t, keyWith(t, cachetest.Call{Body: cachetest.FormatRequest(long)}, "", one), keyWith(t, cachetest.Call{Body: cachetest.FormatRequest(long)}, "", other), "sums are keyed")
	for store, hashed := range map[string]bool{"memory": true, "shared": false} {
		st, err := New(block("store: "+store), Deps{State: cachetest.OpenState(&cachetest.Values{}), Memory: one})
		require.NoError(t, err)
		assert.Equal(t, hashed, st.(*Stage).memory != nil, store)
	}
}

func TestWhatDecidesOverAnAnswerIsPartOfItsKey(t *testing.T) {
	for name, h := range map[string]recall.Memory{"all bytes": nil, "sums": chain.NewMemory(0)} {
		t.Run(name, func(t *testing.T) {
			keysDiffer(t, func(c cachetest.Call, generation string) key { return keyWith(t, c, generation, h) })
		})
	}
}

func keysDiffer(t *testing.T, keyFor func(c cachetest.Call, generation string) key) {
	seen := map[key]string{}
	for name, c := range cachetest.ListVariations() {
		k := keyFor(c, "")
		assert.Empty(t, seen[k], "%s is as good as %s", name, seen[k])
		seen[k] = name
	}
	hi := cachetest.Call{Body: cachetest.FormatRequest("hi")}
	assert.NotEqual(t, keyFor(hi, ""), keyFor(hi, "b"), "another generation")
}
