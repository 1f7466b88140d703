package pii

import "strings"

// memberReach bounds the name of a member that is read.
const memberReach = 40

// readsMember reports whether v, which ends at to behind the separator at i, is the name of a structure with a '-' and goes on as "->" and
// the name of a member, both in small letters and without digits: "password = proxy->password".
func readsMember(s *scan, i, to int, v string) bool {
	t := s.v.s
	name, ok := strings.CutSuffix(v, "-")
	if !ok || findByteAt(t, to) != '>' || !isIdentifierPath(name) || !isDigitless(name) || isUpper(name[0]) {
		return false
	}
	k := to + 1
	for k < len(t) && k-to < memberReach && (isWordByte(t[k]) || t[k] == '.') {
		k++
	}
	s.noteLookAhead(i, k+1)
	member := t[to+1 : k]
	return member != "" && isLetterByte(member[0]) && !isUpper(member[0]) && isDigitless(member) &&
		(closesCode(findByteAt(t, k)) || classifyName(member) != nameless)
}

// isMember reports whether v starts with a name like that of a C structure's member, without capitals and digits.
func isMember(v string) bool {
	for i := range len(v) {
		if !isLetterByte(v[i]) && v[i] != '_' {
			return i > 0 && isOneOf(v[i], ".-[(&") && i+1 < len(v) && !isDigitByte(v[i+1])
		}
		if isUpper(v[i]) {
			return false
		}
	}
	return true
}
