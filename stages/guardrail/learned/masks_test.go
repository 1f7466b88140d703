package learned

import (
	"testing"

	"github.com/stretchr/testify/require"
)

func TestMasksAreTheSameReadInChunks(t *testing.T) {
	if !readsChunks {
		t.Skip("this processor has no instructions to compare with")
	}
	for seed := range uint64(500) {
		text := mixedText(seed, 300)
		if seed%3 == 0 && len(text) > 0 {
			text[int(seed)%len(text)] = byte(0xe2 + seed%2) // the last of a word, the first lead
		}
		for c := range 256 {
			text = append(text, byte(c)%0xe3)
		}
		var fast, plain chunkMasks
		readsChunks = false
		n, spaced := plain.load(text)
		readsChunks = true
		k, alike := fast.load(text)
		require.Equal(t, spaced, alike, "%q", text)
		if spaced {
			require.Equal(t, n, k)
			require.Equal(t, plain, fast, "%q", text)
		}
	}
}
