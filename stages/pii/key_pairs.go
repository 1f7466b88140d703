package pii

import "strings"

// pairReach bounds what stands between the key of a pair and the name of its value.
const pairReach = 40

// labelsPair reports whether the quoted value that ends at to, behind the name "key" alone and the separator at i, is the key of a pair, as lists of labels have
// them: `{"Key": "q8Zr2LmX0vTn4KpW9sBd", "Value": "x"}`. What is secret there is the value.
func labelsPair(s *scan, i int, name string, to int) bool {
	t := s.v.s
	if !strings.EqualFold(name, "key") || !isOneOf(findByteAt(t, to), "\"'") || findByteAt(t, to+1) != ',' {
		return false
	}
	k := to + 2
	for k < len(t) && k-to < pairReach && isOneOf(t[k], " \n\r\t") {
		k++
	}
	s.noteLookAhead(i, k+len(`"value"`)+1)
	return findByteAt(t, k) == t[to] && hasFold(t, k+1, "value") && findByteAt(t, k+1+len("value")) == t[to]
}
