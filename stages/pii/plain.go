package pii

// plainGap bounds what stands behind a number in prose.
const plainGap = 3

// plainGaps are the bytes that stand there.
var plainGaps = [256]bool{' ': true, '\n': true, ',': true, '.': true}

// plainAt reports whether the digits t[i:j] are a number as prose has them: a word follows, so
// that they go on in no way, and there are too few of them for every rule. It answers what the
// rules and looseNumber would answer, nothing.
func (e *Engine) plainAt(t string, i, j int) bool {
	k := j
	for k < len(t) && plainGaps[t[k]] {
		k++
	}
	if e.wide || k == j || k-j > plainGap || k == len(t) || !letter(t[k]) {
		return false
	}
	n := &e.numbers
	rules := n.total[min(j-i, totalMax)] & n.groups[1]
	if i > 0 {
		rules &= n.before[t[i-1]]
	}
	return rules == 0
}
