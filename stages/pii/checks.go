package pii

import "strings"

// passesLuhnChars is passesLuhn for characters.
func passesLuhnChars(c []byte) bool {
	sum := 0
	for i, v := range c {
		x := int(v - '0')
		if (len(c)-i)%2 == 0 {
			if x *= 2; x > 9 {
				x -= 9
			}
		}
		sum += x
	}
	return sum%10 == 0
}

// sumWeighted returns the weighted sum of the digits; w has one byte per digit, from
// '0' on, so that ':' is ten.
func sumWeighted(c []byte, w string) (sum int) {
	for i := range len(w) {
		sum += int(c[i]-'0') * int(w[i]-'0')
	}
	return sum
}

// parseNumber returns the value of some digits.
func parseNumber(c []byte) (n int) {
	for _, v := range c {
		n = n*10 + int(v-'0')
	}
	return n
}

// isAllSame reports whether all characters are equal.
func isAllSame(c []byte) bool {
	for _, v := range c {
		if v != c[0] {
			return false
		}
	}
	return true
}

// isStraight reports whether digits count up or down by one.
func isStraight(c []byte) bool {
	up, down := true, true
	for i := 1; i < len(c); i++ {
		up = up && (c[i]-'0') == (c[i-1]-'0'+1)%10
		down = down && (c[i-1]-'0') == (c[i]-'0'+1)%10
	}
	return up || down
}

// passesMod1110 implements the check of ISO/IEC 7064 MOD 11,10.
func passesMod1110(c []byte) bool {
	p := 10
	for _, v := range c[:len(c)-1] {
		if p = (p + int(v-'0')) % 10; p == 0 {
			p = 10
		}
		p = p * 2 % 11
	}
	return (p+int(c[len(c)-1]-'0'))%10 == 1
}

// isCalendarDate reports whether year, month and day are a date of the calendar. A year
// below 100 is of any century.
func isCalendarDate(y, m, d int) bool {
	if m < 1 || m > 12 || d < 1 {
		return false
	}
	days := [...]int{31, 28, 31, 30, 31, 30, 31, 31, 30, 31, 30, 31}[m-1]
	if m == 2 && y%4 == 0 && (y%100 != 0 || y%400 == 0 || y < 100) {
		days = 29
	}
	return d <= days
}

// beginsWithDate is isCalendarDate for six digits at the start of c: year, month, day.
func beginsWithDate(c []byte) bool {
	return isCalendarDate(parseNumber(c[:2]), parseNumber(c[2:4]), parseNumber(c[4:6]))
}

// isOneOf reports whether the byte is one of a set.
func isOneOf(c byte, set string) bool { return strings.IndexByte(set, c) >= 0 }

// passesVerhoeff is the check of J. Verhoeff, "Error Detecting Decimal Codes" (1969).
func passesVerhoeff(c []byte) bool {
	k := byte(0)
	for i := range c {
		k = verhoeffD[k][verhoeffP[i%8][c[len(c)-1-i]-'0']]
	}
	return k == 0
}

var verhoeffD = [10][10]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
	{1, 2, 3, 4, 0, 6, 7, 8, 9, 5},
	{2, 3, 4, 0, 1, 7, 8, 9, 5, 6},
	{3, 4, 0, 1, 2, 8, 9, 5, 6, 7},
	{4, 0, 1, 2, 3, 9, 5, 6, 7, 8},
	{5, 9, 8, 7, 6, 0, 4, 3, 2, 1},
	{6, 5, 9, 8, 7, 1, 0, 4, 3, 2},
	{7, 6, 5, 9, 8, 2, 1, 0, 4, 3},
	{8, 7, 6, 5, 9, 3, 2, 1, 0, 4},
	{9, 8, 7, 6, 5, 4, 3, 2, 1, 0},
}

var verhoeffP = [8][10]byte{
	{0, 1, 2, 3, 4, 5, 6, 7, 8, 9},
	{1, 5, 7, 6, 2, 8, 3, 0, 9, 4},
	{5, 8, 0, 3, 7, 9, 6, 1, 4, 2},
	{8, 9, 1, 6, 0, 4, 3, 5, 2, 7},
	{9, 4, 5, 3, 1, 2, 6, 8, 7, 0},
	{4, 2, 8, 6, 5, 7, 3, 9, 0, 1},
	{2, 7, 9, 3, 8, 0, 6, 4, 1, 5},
	{7, 0, 4, 6, 9, 1, 3, 2, 5, 8},
}

// scoreOrZero returns score if ok, and 0 otherwise.
func scoreOrZero(ok bool, score float32) float32 {
	if ok {
		return score
	}
	return 0
}

// scoreGrouped returns one score for a value with separators and another for a value without.
func (v *value) scoreGrouped(with, without float32) float32 {
	if v.cuts != 0 {
		return with
	}
	return without
}

// chooseScore returns one of two scores.
func chooseScore(ok bool, yes, no float32) float32 {
	if ok {
		return yes
	}
	return no
}
