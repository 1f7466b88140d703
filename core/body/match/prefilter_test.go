package match

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// withoutBlocks runs f as on a processor without the instructions of markStarts.
func withoutBlocks(f func()) {
	was := readsBlocks
	readsBlocks = false
	defer func() { readsBlocks = was }()
	f()
}

func TestBlocksFindWhatTheSieveFinds(t *testing.T) {
	const letters = "abk -\n\xe9\xff"
	r := rand.New(rand.NewPCG(11, 30))
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			if b[i] = 'x'; r.IntN(3) == 0 {
				b[i] = letters[r.IntN(len(letters))]
			}
		}
		return string(b)
	}
	found := 0
	for range 3000 {
		var literals []string
		for range 1 + r.IntN(12) {
			literals = append(literals, random(3)+[]string{"", "a", "kb-", "- a"}[r.IntN(4)])
		}
		a := New(literals, Options{AnySpaces: true, FoldCase: r.IntN(2) == 0})
		require.NotNil(t, a.prefilter)
		text := []byte(random(r.IntN(700)))
		for range r.IntN(4) { // a literal at any place, at the end too
			l := literals[r.IntN(len(literals))]
			if at := len(text) - len(l) - r.IntN(len(text)+1); at >= 0 {
				copy(text[at:], l)
			}
		}
		var want []Hit
		withoutBlocks(func() { want = a.AppendAll(nil, text) })
		require.Equal(t, want, a.AppendAll(nil, text), "%q in %q", literals, text)
		found += len(want)
	}
	assert.Greater(t, found, 5000)
}

// BenchmarkLiterals looks for beginnings of keys and of phrases in prose, in blocks and without them.
func BenchmarkLiterals(b *testing.B) {
	text := []byte(strings.Repeat("the order left the warehouse on monday while the invoice says friday, so nobody knows which date is right. ", 80)[:8<<10])
	for name, literals := range map[string][]string{
		"keys": {"akia", "asia", "ghp_", "gho_", "glpat-", "sk-proj-", "sk-ant-", "aiza", "xoxb-", "sk_live_", "whsec_", "npm_", "hf_", "dapi", "hvs."},
		"phrases": {
			"ignore all", "ignore any", "disregard", "forget every", "you are now", "pretend", "act as", "from now on", "system prompt",
			"do anything", "no restrictions", "developer mode", "instructions above", "override", "reveal", "bypass", "new task",
		},
	} {
		a := New(literals, Options{AnySpaces: true})
		var hits []Hit
		run := func(b *testing.B) {
			b.SetBytes(int64(len(text)))
			for b.Loop() {
				hits = a.AppendAll(hits[:0], text)
			}
		}
		b.Run(name+"/blocks", run)
		withoutBlocks(func() { b.Run(name+"/bytes", run) })
	}
}

func BenchmarkNew(b *testing.B) {
	r := rand.New(rand.NewPCG(1, 2))
	var literals []string
	for range 400 {
		l := make([]byte, 6)
		for i := range l {
			l[i] = 'a' + byte(r.IntN(26))
		}
		literals = append(literals, string(l))
	}
	for b.Loop() {
		New(literals, Options{})
	}
}
