package learned

import (
	"encoding/binary"
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestAHashIsTheSameWhereverAWordStands(t *testing.T) {
	for _, w := range []string{"a", "abc", "abcdefgh", "abcdefghi", "abcdefghijklmnopq"} {
		at := []byte("x " + w)
		in := []byte("x " + w + " and more text behind it")
		assert.Equal(t, hashBytes(at, 2, len(at)), hashBytes(in, 2, 2+len(w)), w)
	}
}

func TestTheLengthOfAWordIsThatOfItsClasses(t *testing.T) {
	for c := range 256 {
		for at := range 8 {
			b := []byte("a0_z9b\x80\xe2")
			b[at] = byte(c)
			want := 0
			for want < 8 && classes[b[want]] == classWord {
				want++
			}
			assert.Equal(t, want, wordLength(binary.LittleEndian.Uint64(b)), "%q", b)
		}
	}
}
