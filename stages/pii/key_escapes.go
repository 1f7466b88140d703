package pii

import "strings"

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

// cutAtEscape returns the end of the value t[from:to], or its first backslash if it has more than most bytes: what is that long is a value
// and the text behind it.
func cutAtEscape(t string, from, to, most int) int {
	if k := strings.IndexByte(t[from:to], '\\'); k >= 0 && to-from > most {
		return from + k
	}
	return to
}

// findFirstEscape returns the first backslash of the value t[from:to], or its end without one.
func findFirstEscape(t string, from, to int) int { return cutAtEscape(t, from, to, -1) }

// listReadings returns the ends at which the value t[from:to] is judged, in this order: its own, and its first backslash if it has one.
func listReadings(t string, from, to int) []int {
	ends := [...]int{to, findFirstEscape(t, from, to)}
	if ends[1] == to {
		return ends[:1]
	}
	return ends[:]
}

// unescapeSlashes returns v without the backslashes that programs write before '/' in JSON.
func unescapeSlashes(v string) string {
	if !strings.Contains(v, `\/`) {
		return v
	}
	b := make([]byte, 0, len(v))
	for i := range len(v) {
		if v[i] == '/' {
			for len(b) > 0 && b[len(b)-1] == '\\' {
				b = b[:len(b)-1]
			}
		}
		b = append(b, v[i])
	}
	return string(b)
}
