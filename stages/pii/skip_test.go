package pii

import (
	"math/rand/v2"
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
				require.Equal(t, c < 0x80 && (c <= ' ' || c >= 'a'), hasOnlySmall(loadEight(string(b))), "%q", b)
			}
		}
	}
}

func TestSkipFindsTheFirstByteOfTheSet(t *testing.T) {
	var set [256]uint8
	for _, c := range "0@Z" {
		set[byte(c)] = 1
	}
	require.True(t, hasNoneSmall(&set))
	text := strings.Repeat("a b. Cd\u00e9, ", 9)
	for n := range len(text) {
		for _, mark := range []string{"0", "@", "Z", ""} {
			s := text[:n] + mark + text[n:]
			want := strings.IndexAny(s, "0@Z")
			if want < 0 {
				want = len(s)
			}
			for from := range want {
				require.Equal(t, want, findInSet(s, from, &set, true), "%q", s)
				require.Equal(t, want, findInSet(s, from, &set, false), "%q", s)
			}
		}
	}
	set['q'] = 1
	require.False(t, hasNoneSmall(&set))
}

func TestSkipNearFindsTheFirstByteThatARuleLooksAt(t *testing.T) {
	e := engine(t, Options{Types: six})
	require.True(t, e.near)
	require.False(t, engine(t, Options{}).near)
	r := rand.New(rand.NewPCG(5, 1))
	for range 3000 {
		b := make([]byte, r.IntN(200))
		for i := range b {
			switch r.IntN(60) {
			case 0:
				b[i] = dense[r.IntN(len(dense))]
			case 1:
				b[i] = "0:;@?\xb0\xc3/A"[r.IntN(9)]
			default:
				b[i] = byte('a' + r.IntN(26))
			}
		}
		text := string(b)
		for from := range len(text) + 1 {
			want := from
			for want < len(text) && (e.stops[text[want]] == 0 || text[want] == ':' && !e.needsRunAtColon(text, want)) {
				want++
			}
			require.Equal(t, want, e.findNear(text, from), "%q from %d", text, from)
		}
	}
}

func TestDigitsEndWhereTheFirstOtherByteStands(t *testing.T) {
	for n := range 40 {
		for c := range 256 {
			if isDigitByte(byte(c)) {
				continue
			}
			digits := strings.Repeat("0918273645", 4)[:n]
			require.Equal(t, n, findDigitsEnd(digits+string([]byte{byte(c)})+"12345678", 0), "%d digits and %q", n, c)
			require.Equal(t, n+3, findDigitsEnd("ab "+digits, 3))
		}
	}
}

func TestASpokenPasswordIsFoundWhereverItStands(t *testing.T) {
	plain := func(t string, i int) int { // what findSpokenPasswordFrom must return
		for at := max(0, i-4); at+len(spokenPassword) <= len(t); at++ {
			if hasFold(t, at, "pass") && t[at+4:at+len(spokenPassword)] == spokenPassword[4:] {
				return at + 4
			}
		}
		return len(t)
	}
	r := rand.New(rand.NewPCG(8, 1))
	pieces := []string{"password is ", "PASSword is ", "Password is", "password is p", "ssword is ", "pass", "word", " ", "sspaword", "x", "passpassword is ", "word is "}
	for range 3000 {
		var b strings.Builder
		for range r.IntN(20) {
			b.WriteString(pieces[r.IntN(len(pieces))])
		}
		text := b.String()
		for from := range len(text) + 3 {
			require.Equal(t, plain(text, from), findSpokenPasswordFrom(text, from), "%q from %d", text, from)
		}
	}
}
