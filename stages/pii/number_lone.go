package pii

// loneGap bounds what is between a number and the next word in prose.
const loneGap = 3

// loneGaps are the bytes of that gap.
var loneGaps = [256]bool{' ': true, '\n': true, ',': true, '.': true}

// isAloneAt reports whether the digits t[i:j] are a number in prose: no letter precedes it and a word follows, so that it
// does not continue. If it has fewer digits than Engine.lone, neither a rule nor findLooseNumber can match it.
func isAloneAt(t string, i, j int) bool {
	if i == 0 || isLetterByte(t[i-1]) || j-i == 2 && followsCountry(t, i) {
		return false
	}
	k := j
	for k < len(t) && k-j < loneGap && loneGaps[t[k]] {
		k++
	}
	return k > j && k < len(t) && isLetterByte(t[k])
}

// followsCountry reports whether a country that has IBANs and a space are before the number at i: "DE 75 3704". Such a number is
// not alone, however few digits it has.
func followsCountry(t string, i int) bool {
	return i >= 3 && t[i-1] == ' ' && isUpper(t[i-2]) && isUpper(t[i-3]) && findIBANLength(t[i-3], t[i-2]) > 0
}

// countLoneDigits returns how many digits a number without adjacent letters or digits must have for a rule to match it.
func (e *Engine) countLoneDigits() int {
	n, before := &e.numbers, uint32(0)
	for c, rules := range n.before {
		if !isLetterByte(byte(c)) {
			before |= rules
		}
	}
	for digits, rules := range n.total {
		if rules&n.groups[1]&before&^n.country != 0 {
			return digits
		}
	}
	return totalMax
}
