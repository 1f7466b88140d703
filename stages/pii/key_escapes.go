package pii

// escapeMax bounds the backslashes in a row that are read in a value.
const escapeMax = 8

// skipEscape returns where the value that begins at from goes on behind the backslashes at j, or j if it ends there. Quotes may stand in
// other quotes, each time with twice as many backslashes and one: a quote closes a value at its own depth and belongs to it deeper.
func skipEscape(t string, from, j int) int {
	k := j
	for k < len(t) && k-j < escapeMax && t[k] == '\\' {
		k++
	}
	if k == len(t) || j == from || t[k] == '\\' {
		return j
	}
	depth := -1 // backslashes before the quote in front of the value; -1 without one
	if isQuoted(t, from) {
		depth = 0
		for depth < escapeMax && depth < from-1 && t[from-2-depth] == '\\' {
			depth++
		}
	}
	run, c := k-j, t[k]
	switch {
	case c == '"' || c == '\'' || c == '`':
		if depth < 0 {
			return j
		}
		if run%(2*(depth+1)) == depth {
			return k - depth // the backslashes before are of the value
		}
		return k + 1
	case isOneOf(c, "\n\r\t<>"):
		return j
	case run > 2*depth+1 && depth >= 0: // a backslash of the value itself
		return k
	case isOneOf(c, "nrtbfvux0"):
		return j // an escape that ends a line or a word
	}
	return k + 1
}
