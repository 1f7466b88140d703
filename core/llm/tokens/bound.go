package tokens

import "unicode/utf8"

//go:generate go test -tags nomsgpack,grpcnotrace -run TestThePairsAreThoseOfTheVocabulary -update .

// BoundText returns a number of tokens that Text(s) does not exceed, without the vocabulary and without allocating. It stops
// reading as soon as it knows that the number is at most enough; -1 asks for the lowest bound it can find, about .7
// tokens a byte of English or code and a third of a token a digit.
//
// Byte-pair encoding leaves no two neighbouring tokens whose joined bytes are a token. So if two bytes are always in
// the same piece and together are a token (the table pairs), they cannot both be single tokens. Bound returns the most
// tokens into which a text can be cut under that rule alone. Digits and blanks it counts as the pattern of pieces cuts
// them: three digits are one token, and so are blanks in a row except the last, which belongs to what follows.
func BoundText(s string, enough int64) int64 {
	n := int64(len(s))
	if n <= enough/replacementBytes {
		return n * replacementBytes
	}
	if !utf8.ValidString(s) { // Text counts each wrong byte as U+FFFD
		return n * replacementBytes
	}
	if n <= enough {
		return n
	}
	m := cutter{one: impossible, longer: 0, before: impossible}
	single := 0 // up to here bytes are added one by one: their row has been read, and is not a piece
	for i := 0; i < len(s); {
		end := i + 1
		switch c := s[i]; {
		case i < single:
		case c-'0' <= 9:
			if end = findRowEnd(s, i, isDigit); end-i > 1 && !isBesideRune(s, i, end) {
				m.addWholePieces(int64(end-i+2) / 3)
				i = end
				continue
			}
			if single = end; end < len(s) && s[end] < utf8.RuneSelf {
				single = i + 1 // only the text before the row is in its way
			}
			end = i + 1
		case c == ' ' || c == '\t':
			if end = findRowEnd(s, i, func(b byte) bool { return b == c }); isBlankRow(s, i, end) {
				m.addWholePieces(1)
				i = end - 1
			} else {
				single = end
			}
			end = i + 1
		}
		m.add(i > 0 && isJoined(s, i))
		if i = end; m.boundHigher()+n-int64(i) <= enough {
			return m.boundHigher() + n - int64(i)
		}
	}
	return m.boundHigher()
}

const (
	replacementBytes = 3 // of U+FFFD
	impossible       = -1 << 40
)

// cutter holds the most tokens that the text so far can be cut into.
type cutter struct {
	one    int64 // the last token being one byte
	longer int64 // the last token being longer; the text before the first byte counts as one
	before int64 // of the text without its last byte, however it ends; impossible behind a bound of pieces
}

// add takes one more byte. If it is joined with the byte before, they are not both single tokens.
func (m *cutter) add(joined bool) {
	one := m.longer + 1
	if !joined {
		one = max(one, m.one+1)
	}
	m.one, m.longer, m.before = one, m.before+1, max(m.one, m.longer)
}

// addWholePieces takes n tokens that fill their pieces: none goes on into them, or behind them.
func (m *cutter) addWholePieces(n int64) {
	m.one, m.longer, m.before = impossible, m.boundHigher()+n, impossible
}

func (m *cutter) boundHigher() int64 { return max(m.one, m.longer) }

func isDigit(c byte) bool { return c-'0' <= 9 }

// findRowEnd returns the end of the bytes from i on that are of a kind.
func findRowEnd(s string, i int, kind func(byte) bool) int {
	for i++; i < len(s) && kind(s[i]); i++ {
	}
	return i
}

// isBesideRune reports whether a character beyond ASCII precedes or follows s[i:end]: it may be a digit or white space.
func isBesideRune(s string, i, end int) bool {
	return i > 0 && s[i-1] >= utf8.RuneSelf || end < len(s) && s[end] >= utf8.RuneSelf
}

// The longest rows of spaces and of tabs up to which each row is a token.
const (
	maxSpaces = 79
	maxTabs   = 20
)

// isBlankRow reports whether the spaces or tabs s[i:end] without their last are one token, and a piece: no other white space
// stands beside them, except a line end before, with which a piece ends.
func isBlankRow(s string, i, end int) bool {
	n := end - i - 1
	if n < 1 || s[i] == ' ' && n > maxSpaces || s[i] == '\t' && n > maxTabs || isBesideRune(s, i, end) {
		return false
	}
	if end < len(s) && ascii[s[end]]&space != 0 {
		return false
	}
	return i == 0 || ascii[s[i-1]]&space == 0 || ascii[s[i-1]]&lineEnd != 0
}

// isJoined reports whether s[i-1] and s[i] are a token together and always stand in the same piece.
func isJoined(s string, i int) bool {
	a, b := s[i-1], s[i]
	if a|b >= utf8.RuneSelf || pairs[a][b>>6]>>(b&63)&1 == 0 {
		return false
	}
	// A piece can end behind a contraction such as 's or 're.
	return !(i > 1 && s[i-2] == '\'' || i > 2 && s[i-3] == '\'') || ascii[b]&(capital|small) == 0
}

// staysWhole reports whether two ASCII characters that follow each other always stand in the same piece, contractions
// aside. The table pairs is made with it.
func staysWhole(a, b byte) bool {
	ca, cb := ascii[a], ascii[b]
	switch {
	case cb&(capital|small) != 0: // letters follow letters, unless a capital begins a word, and one blank
		return a == ' ' || a == '\t' || ca&capital != 0 || ca&small != 0 && cb&small != 0
	case cb&other != 0: // behind a line end, a slash belongs to the marks before it
		return a == ' ' || ca&other != 0 && a != '/'
	}
	return false
}
