package pii

import "strings"

// isInNumberRow reports whether the digits d, the groups up to k from i on, are as likely a part of a row of numbers, or a
// measured or coded number, as a card.
func isInNumberRow(t string, n *numbers, i, k int, d []byte) bool {
	if k == 0 {
		return isMeasured(t, n, d)
	}
	if n.countDigits(0) == 1 && n.prev == ' ' && !isDictated(t, n, i, k) {
		return true
	}
	return goesOnInFours(t, n, k)
}

// isDictated reports whether the single digits of a card up to group k are all that follows another number and words: "I have 2 4
// 1 1 1 ...". Tables have rows of such numbers too, without words before or with more numbers behind.
func isDictated(t string, n *numbers, i, k int) bool {
	if n.countDigits(k) != 1 || n.n > k+1 || n.sep[k] != 0 || i < 5 || t[i-1] != ' ' || !isDigitByte(t[i-2]) || t[i-3] != ' ' {
		return false
	}
	j := i - 3
	if isOneOf(t[j-1], ":,") {
		j--
	}
	letters := 0
	for ; j > 0 && letters < 2 && isLetterByte(t[j-1]) && !isUpper(t[j-1]); j-- {
		letters++
	}
	return letters == 2
}

// goesOnInFours reports whether two more groups of four digits follow a card that ends with group k, and are no other card: a row of
// numbers. One is a year or a check number.
func goesOnInFours(t string, n *numbers, k int) bool {
	if n.countDigits(0) != 4 || n.n < k+3 || n.sep[k] != ' ' || n.countDigits(k+1) != 4 || n.countDigits(k+2) != 4 || n.sep[k+1] != ' ' {
		return false
	}
	var next [16]byte
	total := 0
	for g := k + 1; g < n.n && total < len(next) && n.countDigits(g) == 4; g++ {
		for j := n.start[g]; j < n.end[g]; j++ {
			next[total] = t[j] - '0'
			total++
		}
	}
	usual, _ := checkIssuer(next[:])
	return total < len(next) || !usual || !passesLuhn(next[:])
}

// isMeasured reports whether the digits d, which stand in one group, are as likely a measured or a coded number: only zeros and ones, or
// a number that begins with 1, as the cards of airlines do, between other long numbers, or 19 digits of a range whose cards have 16.
func isMeasured(t string, n *numbers, d []byte) bool {
	if len(d) == 19 && d[0] == 4 {
		return true
	}
	if d[0] != 1 {
		return false
	}
	if n.sep[0] == ' ' && n.n > 1 && n.countDigits(1) > 5 || n.prev == ' ' && followsSixDigits(t, n.start[0]-1) {
		return true
	}
	return strings.Trim(t[n.start[0]:n.end[0]], "01") == ""
}

// followsSixDigits reports whether six digits precede i.
func followsSixDigits(t string, i int) bool {
	for k := i - 6; k < i; k++ {
		if k < 0 || !isDigitByte(t[k]) {
			return false
		}
	}
	return true
}
