package learned

import (
	"bytes"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAHashIsTheSameWhereverAWordStands(t *testing.T) {
	for _, w := range []string{"a", "abc", "abcdefgh", "abcdefghi", "abcdefghijklmnopq"} {
		at := []byte("x " + w)
		in := []byte("x " + w + " and more text behind it")
		assert.Equal(t, hashBytes(at, 2, len(at)), hashBytes(in, 2, 2+len(w)), w)
	}
}

func TestTheMasksOfAChunkAreThoseOfItsClasses(t *testing.T) {
	for c := range 256 {
		for at := range 64 {
			b := bytes.Repeat([]byte("a0_z9b %\xc3\x80\xe2&.\\{\x1f"), 4)
			b[at] = byte(c)
			var wantWords, wantSigns uint64
			for i := range b {
				if classes[b[i]] == classWord {
					wantWords |= 1 << i
				}
				if classes[b[i]] == classSign {
					wantSigns |= 1 << i
				}
			}
			words, signs, ok := computeMasks(b)
			require.Equal(t, c < 0xe3, ok, "%q", b)
			if ok {
				require.Equal(t, wantWords, words, "%q", b)
				require.Equal(t, wantSigns, signs, "%q", b)
			}
		}
	}
}
