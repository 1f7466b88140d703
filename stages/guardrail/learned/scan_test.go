package learned

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// scanRunes is the oracle: it reads a text byte by byte.
func TestTheGateReadsWordsAsItsTwin(t *testing.T) {
	m, err := Embedded()
	require.NoError(t, err)
	spaced, long, short, signs := 0, 0, 0, 0
	for seed := range uint64(3000) {
		rnd := rand.New(rand.NewPCG(seed, 11))
		var b strings.Builder
		for range rnd.IntN(200) {
			switch rnd.IntN(8) {
			case 0:
				b.WriteByte(byte(rnd.IntN(0xe3)))
			case 1:
				b.WriteString([]string{"69 6e ", "0x41, ", "\\u0041", "%41", "&#65;", "1 ", "a-", "2024-11-28t10:00 ", "aGVsbG8gd29ybGQgaGVsbG8", "12345678 "}[rnd.IntN(10)])
			default:
				b.WriteString(pieces[rnd.IntN(len(pieces))])
			}
		}
		text := []byte(b.String())
		want := m.gate.scanRunes(nil, text)
		require.Equal(t, want, m.gate.Scan(nil, text), "seed %d: %q", seed, text)
		if _, ok := m.gate.scanSpaced(nil, text); ok {
			spaced++
		}
		for i := range want {
			if want[i].long.end > 0 {
				long++
			}
			short += int(want[i].short)
			signs += int(want[i].signs)
		}
	}
	assert.Greater(t, spaced, 50)
	assert.Greater(t, long, 500)
	assert.Greater(t, short, 5000)
	assert.Greater(t, signs, 5000)
}
