package pii

import "math/bits"

// Limits of a run of digit groups. No number type has more than 19 groups
// (a card with every digit apart) or a group of more than 34 digits.
const (
	groupsMax   = 20
	groupDigits = 34
)

// mixed is the separator code for parentheses with the spaces, dots or dashes
// around them. The other codes are the separating byte itself.
const mixed = '('

// numbers is a run of digit groups with single separators between them, from one group on. The run may extend before the
// first group and behind the last.
type numbers struct {
	n     int
	total int            // digits of all groups
	start [groupsMax]int // folded offsets
	end   [groupsMax]int
	sep   [groupsMax]byte // sep[i] follows group i; 0 at the end of the run
	prev  byte            // the separator before the first group, 0 for none
	card  int             // how many groups from the first are certainly a card's, or 0
}

// load reads the run from the group t[i:j]. It returns false if the group is too long for any number.
func (n *numbers) load(t string, i, j int) bool {
	n.n = 0
	if j-i > groupDigits {
		return false
	}
	n.prev, n.total, n.card = 0, 0, 0
	if i >= 2 {
		n.prev = readSeparatorBefore(t, i)
	}
	for {
		n.start[n.n], n.end[n.n], n.sep[n.n] = i, j, 0
		k := n.n
		n.n++
		n.total += j - i
		code, next := readSeparator(t, j)
		if code == 0 {
			return true
		}
		n.sep[k] = code
		if n.n == groupsMax {
			return true
		}
		i, j = next, findDigitsEnd(t, next)
		if j-i > groupDigits {
			return true
		}
	}
}

// findDigitsEnd returns the end of the digits at i. It reads eight bytes at once, because their number cannot be predicted.
func findDigitsEnd(t string, i int) int {
	for ; len(t)-i >= 8; i += 8 {
		w := loadEight(t[i:i+8]) ^ '0'*lowest
		if m := (w&^highest + (0x80-10)*lowest | w) & highest; m != 0 {
			return i + bits.TrailingZeros64(m)>>3
		}
	}
	for i < len(t) && isDigitByte(t[i]) {
		i++
	}
	return i
}

// countDigits returns the number of digits of group i.
func (n *numbers) countDigits(i int) int { return n.end[i] - n.start[i] }

// matchLengths reports whether the first groups have exactly the given lengths and the same separator between them, which it returns.
func (n *numbers) matchLengths(lengths ...int) (sep byte, ok bool) {
	if n.n < len(lengths) {
		return 0, false
	}
	for i, want := range lengths {
		if n.countDigits(i) != want || i > 0 && n.sep[i-1] != n.sep[0] {
			return 0, false
		}
	}
	return n.sep[0], true
}

// pads are the bytes that may be next to a parenthesis between two groups.
var pads = [256]bool{' ': true, '-': true, '.': true, '(': true, ')': true}

// readSeparator reads what is between two groups of digits at t[i:]: one byte,
// or parentheses with single spaces, and dots or dashes next to them. It returns
// its code and the start of the next group; code 0 means that no group follows.
func readSeparator(t string, i int) (code byte, next int) {
	if i+1 >= len(t) {
		return 0, 0
	}
	switch c := t[i]; c {
	case ' ', '-', '.', '/', '_':
		if isDigitByte(t[i+1]) {
			return c, i + 1
		}
		if !pads[t[i+1]] {
			return 0, 0
		}
	case '(', ')':
	default:
		return 0, 0
	}
	paren := false
	for j := i; j < len(t) && j < i+5; j++ {
		switch c := t[j]; {
		case c == '(' || c == ')':
			paren = true
		case isDigitByte(c):
			if paren {
				return mixed, j
			}
			return 0, 0
		case j > i && t[j-1] == c:
			return 0, 0
		case c == ' ':
		case c != '-' && c != '.', !(j > i && t[j-1] == ')') && !(j+1 < len(t) && t[j+1] == '('):
			return 0, 0
		}
	}
	return 0, 0
}

// readSeparatorBefore returns the code of the separator that ends at i, or 0.
func readSeparatorBefore(t string, i int) byte {
	switch c := t[i-1]; c {
	case ' ', '-', '.', '/', '_':
		if isDigitByte(t[i-2]) {
			return c
		}
		if !pads[t[i-2]] {
			return 0
		}
	case '(', ')':
	default:
		return 0
	}
	for j := i - 2; j >= 0 && j >= i-5; j-- {
		if isDigitByte(t[j]) {
			if code, next := readSeparator(t, j+1); next == i {
				return code
			}
			return 0
		}
	}
	return 0
}
