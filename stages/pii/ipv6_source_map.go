package pii

import "strings"

// mapsSource reports whether the short address t[from:end] is an entry of a source map of Solidity: the start and the length of a piece of
// a program, in decimal digits and without the fields that repeat, "3631:50::-" behind ';'. Addresses of networks in use look the same,
// and are told by the entries before.
func mapsSource(s *scan, from, end int) bool {
	t := s.v.s
	if end-from > len("1234567:12345::") || !strings.HasSuffix(t[from:end], "::") || strings.Trim(t[from:end], digits09+":") != "" {
		return false
	}
	start := from
	if start > 1 && t[start-1] == ':' {
		start-- // the field before is empty too
	}
	s.noteLookAhead(from, end+1)
	if findByteBefore(t, start) != ';' || !isOneOf(findByteAt(t, end), ";-") {
		return false
	}
	return !isNetworkInUse(t[from:end]) || followsMapEntry(s, start-1)
}

// isNetworkInUse reports whether an address in digits begins as those that registries hand out (IANA, IPv6 Global Unicast Address Space).
func isNetworkInUse(a string) bool {
	switch head, _, _ := strings.Cut(a, ":"); head {
	case "2001", "2002", "2003":
		return true
	default:
		return len(head) == 4 && head[0] == '2' && isOneOf(head[1], "468")
	}
}

// mapReach is how far before an entry of a source map others are looked for.
const mapReach = 40

// followsMapEntry reports whether what precedes the ';' at i has what addresses do not: an entry that is empty, or a jump, "-", "i" or
// "o", in the fourth field.
func followsMapEntry(s *scan, i int) bool {
	t, low := s.v.s, s.v.stepBack(i, mapReach)
	k := i
	for k > low && (isDigitByte(t[k-1]) || isOneOf(t[k-1], ":;-io")) {
		k--
	}
	head := t[k : i+1]
	for _, w := range [...]string{";;", ":-", ":i", ":o"} {
		if strings.Contains(head, w) {
			return true
		}
	}
	return false
}
