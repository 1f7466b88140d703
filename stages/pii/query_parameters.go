package pii

import "strings"

// cutParameter returns where the value t[from:to] behind the '=' at i ends if it is a parameter of a query or of a form (WHATWG URL, 5.1):
// before the next parameter, or to. Elsewhere a password may have an '&' in it, and a key has none. The name before the separator begins
// at name. A '#' ends it too, but people forget to escape one in a password.
func cutParameter(t string, kind nameKind, name, i, from, to int) int {
	if t[i] != '=' || from != i+1 {
		return to
	}
	query := name > 0 && isOneOf(t[name-1], "?&") || strings.HasSuffix(t[:name], "&amp;")
	for k := from; k < to; k++ {
		switch {
		case t[k] == '#' && query && kind != namesPassword, t[k] == '&' && (query || kind != namesPassword) && beginsParameter(t, k):
			return k
		}
	}
	return to
}

// parameterName bounds the name of a parameter.
const parameterName = 40

// beginsParameter reports whether the name of a parameter and a '=' follow the '&' at i, or "amp;" of HTML: "&user=", "&amp;user=".
func beginsParameter(t string, i int) bool {
	i++
	if strings.HasPrefix(t[i:], "amp;") {
		return true
	}
	k := i
	for k < len(t) && k-i < parameterName && (isWordByte(t[k]) || isOneOf(t[k], "-.[]%")) {
		k++
	}
	return k > i && (isLetterByte(t[i]) || t[i] == '_') && findByteAt(t, k) == '='
}
