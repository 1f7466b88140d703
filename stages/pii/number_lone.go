package pii

// loneGap bounds what is between a number and the next word in prose.
const loneGap = 3

// loneGaps are the bytes that stand there.
var loneGaps = [256]bool{' ': true, '\n': true, ',': true, '.': true}

// aloneAt reports whether the digits t[i:j] are a number as prose has them: no letter stands
// before, and a word follows, so that they go on in no way. When they are fewer than
// Engine.lone, no rule has anything to say of them, nor has looseNumber.
func aloneAt(t string, i, j int) bool {
	if i == 0 || letter(t[i-1]) {
		return false
	}
	k := j
	for k < len(t) && k-j < loneGap && loneGaps[t[k]] {
		k++
	}
	return k > j && k < len(t) && letter(t[k])
}

// loneDigits returns how many digits a number without any letter or digit near it must have
// for a rule to take it.
func (e *Engine) loneDigits() int {
	n, before := &e.numbers, uint32(0)
	for c, rules := range n.before {
		if !letter(byte(c)) {
			before |= rules
		}
	}
	for digits, rules := range n.total {
		if rules&n.groups[1]&before != 0 {
			return digits
		}
	}
	return totalMax
}
