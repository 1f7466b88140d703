package guardrail

import (
	"fmt"
	"math/rand/v2"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
)

// A shingle that is made from the one before is the polynomial over its own six words.
func TestShinglesAreOfSixWordsEach(t *testing.T) {
	r := rand.New(rand.NewPCG(1, 2))
	words := make([]word, 200)
	for i := range words {
		words[i].hash = r.Uint32()
	}
	var roll rolling
	for i := range words {
		h, ok := roll.addWord(words, i)
		require.Equal(t, i >= shingleWords-1, ok)
		if !ok {
			continue
		}
		want := uint32(0)
		for _, w := range words[i-shingleWords+1 : i+1] {
			want = want*shingleBase + (w.hash ^ shingleSalt)
		}
		require.Equal(t, want, h, "word %d", i)
	}
}

func TestInstructionsAreRememberedAsTheyWereRead(t *testing.T) {
	system := func(n int) string {
		words := strings.Fields(prose)
		return strings.Join(words[n*13:n*13+80], " ")
	}
	long := make([]string, 9000) // its shingles do not fit into the memory
	for i := range long {
		long[i] = fmt.Sprint("word", i)
	}
	for name, texts := range map[string][]string{
		"one text":                     {system(0)},
		"several texts":                {system(3), system(0), system(3)},
		"too few words for a shingle":  {"only five words in here"},
		"words outside ASCII":          {strings.ReplaceAll(system(1), "a", "ä")},
		"more than is kept of a text":  {strings.Join(long, " "), system(2)},
		"a text with the same words":   {strings.Repeat("the same words again and again ", 20)},
		"a text that is not looked up": {"seven words are here, one shingle more", system(4)},
	} {
		t.Run(name, func(t *testing.T) {
			read := func(st *Stage, texts []string) []uint32 {
				x := &core.Exchange{Principal: &core.Principal{Tenant: "t"}}
				for _, text := range texts {
					x.Request.AddText(core.Segment{Role: core.RoleSystem}, text)
				}
				x.Request.AddText(core.Segment{Role: core.RoleUser}, system(5))
				w := st.acquireWork(nil)
				c := &check{x: x, w: w, phase: core.Response}
				set := slices.Clone(c.readInstructions().sorted)
				st.Finish(t.Context(), x, w)
				return set
			}
			plain, err := newStage(settings{})
			require.NoError(t, err)
			want := read(plain, texts)
			st, err := newStage(settings{})
			require.NoError(t, err)
			m := chain.NewMemory(1 << 23)
			st.SetMemory(m)
			assert.Equal(t, want, read(st, texts), "nothing is known yet")
			cold := m.Use()
			assert.Equal(t, want, read(st, texts), "the texts are known")
			if name == "one text" {
				assert.Equal(t, uint64(1), m.Use().Hits-cold.Hits)
				assert.Equal(t, cold.Misses, m.Use().Misses)
			}
			for i := range texts {
				assert.Equal(t, read(plain, texts[i:i+1]), read(st, texts[i:i+1]), "text %d by itself", i)
			}
		})
	}
}

// BenchmarkInstructions is the cost of comparing answers with instructions of 16 KB, as coding agents have: what is read when the
// answer begins.
func BenchmarkInstructions(b *testing.B) {
	for _, bytes := range []int64{0, 1 << 25} {
		b.Run(fmt.Sprintf("memory=%d", bytes), func(b *testing.B) {
			s, err := New(nil)
			require.NoError(b, err)
			st := s.(*Stage)
			st.SetMemory(chain.NewMemory(bytes))
			x := &core.Exchange{Principal: &core.Principal{Tenant: "t"}}
			x.Request.AddText(core.Segment{Role: core.RoleSystem}, strings.Repeat(ordinaryWords(4<<10), 4))
			b.ReportAllocs()
			for b.Loop() {
				w := st.acquireWork(nil)
				if !st.ReleaseRequest(b.Context(), x, w) {
					b.Fatal("not released")
				}
				st.Finish(b.Context(), x, w)
			}
		})
	}
}
