package learned

import (
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
