package match

import (
	"math/rand/v2"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestASieveFindsWhatTheAutomatonFinds(t *testing.T) {
	const letters = "abk -\n\t"
	r := rand.New(rand.NewPCG(4, 7))
	random := func(n int) string {
		b := make([]byte, n)
		for i := range b {
			b[i] = letters[r.IntN(len(letters))]
		}
		return string(b)
	}
	found := 0
	for range 3000 {
		var literals []string
		for range 1 + r.IntN(4) {
			literals = append(literals, string([]byte{"abk -"[r.IntN(5)]})+string([]byte{"abk -"[r.IntN(5)]})+[]string{"", "a", "kb-", "- a"}[r.IntN(4)])
		}
		text := []byte(random(r.IntN(60)))
		sieved := New(literals, Options{AnySpaces: true, FoldCase: r.IntN(2) == 0})
		if sieved.sieve == nil { // two spaces and anything are too many places
			continue
		}
		plain := *sieved
		plain.sieve = nil
		want := plain.AppendAll(nil, text)
		require.Equal(t, want, sieved.AppendAll(nil, text), "%q in %q", literals, text)
		found += len(want)
	}
	assert.Greater(t, found, 1500)
}

func TestLiteralsOfOneByteHaveNoSieve(t *testing.T) {
	assert.Nil(t, New([]string{"token", "k"}, Options{}).sieve)
}
