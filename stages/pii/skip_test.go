package pii

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

func TestSmallIsTrueOfSmallLettersAndSpacesAlone(t *testing.T) {
	for _, around := range []byte{'a', ' ', '~', 0x00, 0x7f} {
		for c := range 256 {
			for at := range 8 {
				b := []byte(strings.Repeat(string(rune(around)), 8))
				b[at] = byte(c)
				require.Equal(t, c < 0x80 && (c <= ' ' || c >= 'a'), small(eight(string(b))), "%q", b)
			}
		}
	}
}

func TestSkipFindsTheFirstByteOfTheSet(t *testing.T) {
	var set [256]uint8
	for _, c := range "0@Z" {
		set[byte(c)] = 1
	}
	require.True(t, noneSmall(&set))
	text := strings.Repeat("a b. Cd\u00e9, ", 9)
	for n := range len(text) {
		for _, mark := range []string{"0", "@", "Z", ""} {
			s := text[:n] + mark + text[n:]
			want := strings.IndexAny(s, "0@Z")
			if want < 0 {
				want = len(s)
			}
			for from := range want {
				require.Equal(t, want, skip(s, from, &set, true), "%q", s)
				require.Equal(t, want, skip(s, from, &set, false), "%q", s)
			}
		}
	}
	set['q'] = 1
	require.False(t, noneSmall(&set))
}
