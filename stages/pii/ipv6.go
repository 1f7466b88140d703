package pii

import (
	"net/netip"
	"strings"
)

// addressMax is the length of the longest address in text form: six groups and
// an IPv4 address.
const addressMax = 45

// zoneMax is the length of the longest zone taken, as for Linux interfaces.
const zoneMax = 15

// findIPv6 reads the run of hexadecimal digits, colons and dots around the
// first colon at i.
func findIPv6(s *scan, i int) (int, int, float32) {
	t := s.v.s
	from := i
	for from > 0 && i-from <= 4 && class[t[from-1]]&isHex != 0 {
		from--
	}
	if i-from > 4 || from == i && (i+1 == len(t) || t[i+1] != ':') || !canBeginIPv6(t, from) {
		return 0, 0, 0
	}
	end := findIPv6End(t, from, i)
	if end == 0 {
		return 0, 0, 0
	}
	groups, ok := parseIPv6Shape(t[from:end])
	if !ok {
		return 0, 0, 0
	}
	addr, err := netip.ParseAddr(t[from:end])
	if err != nil {
		return 0, 0, 0
	}
	if groups < 2 {
		s.noteLookAhead(from, end+3)
	}
	if groups < 2 && cutsOrSplits(t, from, end) {
		return 0, 0, 0
	}
	if mapsSource(s, from, end) {
		return 0, 0, 0
	}
	score := scoreIPv6(addr, groups)
	if groups == 0 && !isAssigned(t, from) || groups == 1 && opensBlock(t, from, end) {
		return 0, 0, 0 // an operator, a slice, the end of a paragraph
	}
	if addr.IsLoopback() && score < 0.5 && !isInSubscript(t, from) {
		score = 0.5
	}
	if z := findZoneEnd(t, end); z > end && addr.IsLinkLocalUnicast() {
		return from, z, score
	}
	return from, findPrefixEnd(t, end, 128), score
}

// findIPv6End returns the end of the run of hexadecimal digits, colons and dots at i, without a dot or a single colon behind it, or
// 0 if it is too long or goes on as a word.
func findIPv6End(t string, from, i int) int {
	end := i
	for end < len(t) && end-from <= addressMax+1 && (class[t[end]]&isHex != 0 || t[end] == ':' || t[end] == '.') {
		end++
	}
	if end-from > addressMax+1 {
		return 0
	}
	if t[end-1] == '.' {
		end--
	}
	if t[end-1] == ':' && t[end-2] != ':' {
		if end-from == len("::ffff:") && hasFold(t, from, "::ffff:") {
			return 0 // the prefix of addresses of IPv4, as programs look for it
		}
		if end < len(t) && isOneOf(t[end], "%\"'") {
			return 0 // the beginning of an address: "::ffff:" + ipv4
		}
		end--
	}
	if end < len(t) && (isWordByte(t[end]) || t[end] == ':' && end+1 < len(t) && t[end+1] == ':') {
		return 0
	}
	return end
}

// canBeginIPv6 reports whether an address may begin at i: not inside a word, and
// not behind a colon, unless a label precedes that.
func canBeginIPv6(t string, i int) bool {
	if i == 0 {
		return true
	}
	if t[i-1] == ':' {
		return i >= 2 && t[i-2] != ':' && class[t[i-2]]&isHex == 0 && !followsHidden(t, i-1)
	}
	return (!isWordByte(t[i-1]) || isGlued(t, i)) && t[i-1] != '.' && t[i-1] != '%'
}

// followsHidden reports whether a group of an address that its writer has hidden stands before the ':' at i, behind another group:
// "2001:470:xxxx:1::1". A name may end in 'x' too: "host:xx:2001:db8::1".
func followsHidden(t string, i int) bool {
	k := i
	for k > 0 && i-k < 4 && t[k-1]|0x20 == 'x' {
		k--
	}
	if k == i || k == 0 || t[k-1] != ':' {
		return false
	}
	group := k - 1
	for group > 0 && k-group < 6 && class[t[group-1]]&isHex != 0 {
		group--
	}
	size := k - 1 - group
	if size < 1 || size > 4 || group > 0 && isWordByte(t[group-1]) {
		return false
	}
	return !isDigitless(t[group:k]) || group > 0 && t[group-1] == ':' // a word may consist of 'a' to 'f' too
}

// parseIPv6Shape counts the groups and turns away what netip would, without the
// error that costs an allocation.
func parseIPv6Shape(a string) (groups int, ok bool) {
	colons, doubles, dots, size := 0, 0, 0, 0
	if len(a) == 8*2+7 && a[2] == ':' && a[5] == ':' && a[8] == ':' && a[11] == ':' && a[14] == ':' && a[17] == ':' && a[20] == ':' {
		return 0, false // eight pairs are an EUI-64
	}
	if len(a) == 8*4+7 && strings.Trim(a, "01:") == "" && a != "0000:0000:0000:0000:0000:0000:0000:0001" {
		return 0, false // a register in binary: no address but "::1", and "::", which is written so, has only these digits
	}
	for i := range len(a) {
		switch c := a[i]; c {
		case ':':
			if colons++; i > 0 && a[i-1] == ':' {
				doubles++
			}
			size = 0
		case '.':
			dots++
			size = 0
		default:
			if size == 0 {
				groups++
			}
			if size++; size > 4 {
				return 0, false
			}
		}
	}
	if dots != 0 && dots != 3 || doubles > 1 || colons < 2 {
		return 0, false
	}
	want := 7
	if dots == 3 {
		want = 6
		groups -= 2
	}
	return groups, doubles == 1 && colons <= want+1 || colons == want
}

// scoreIPv6 tells addresses from slices, scopes and times: a full address, one
// in a range that is in use (RFC 4291, IANA) or one of several groups is sure;
// "1::" and "a::b" need a telling word.
func scoreIPv6(a netip.Addr, groups int) float32 {
	b := a.As16()
	inUse := b[0]&0xE0 == 0x20 || b[0]&0xFE == 0xFC || b[0] == 0xFE && b[1]&0xC0 == 0x80 || b[0] == 0xFF && b[1]&0xF0 == 0
	switch {
	case groups >= 4 || a.Is4In6():
		return 0.95
	case inUse && groups >= 2 && b[0] != 0:
		return 0.8
	case inUse && groups == 1:
		return 0.6
	case groups == 3:
		return 0.5
	}
	return 0.2
}

// isAssigned reports whether the "::" at i is a value: it follows '=' or is in quotes, parentheses or the brackets of a URL.
// Programs, manuals and lists have it between words.
func isAssigned(t string, i int) bool {
	return i > 0 && (isOneOf(t[i-1], "=\"'(`") || t[i-1] == '[' && !isInSubscript(t, i))
}

// opensBlock reports whether t[from:end] is a number with the "::" that ends a paragraph of reStructuredText.
func opensBlock(t string, from, end int) bool {
	j := from
	for j < end && isDigitByte(t[j]) {
		j++
	}
	return t[j:end] == "::" && from > 0 && t[from-1] == ' ' && end < len(t) && (t[end] == '\n' || t[end] == '\r')
}

// cutsOrSplits reports whether the short address t[from:end] is something else in a program: the step of a slice of several
// dimensions, "[:, ::1]"; the "::" that a function of strings looks for; the end of a paragraph of reStructuredText; a part of a
// regular expression, "::f{4}"; or the separator of a pattern, "cache::*".
func cutsOrSplits(t string, from, end int) bool {
	before, behind := findByteBefore(t, from), findByteAt(t, end)
	switch {
	case behind == '{', isOneOf(before, "`\"'") && (behind == '\n' || behind == '\r'), end-from == 2 && behind == '*':
		return true
	case behind == ']' || behind == ',':
		return isInSlice(t, from)
	case end-from == 2 && inGrammar(t, from, end), end-from == 3 && t[from] == '0' && !(behind == '/' && isDigitByte(findByteAt(t, end+1))):
		return true
	case end-from == 2 && behind == before && isOneOf(before, "\"'`"):
		return findByteAt(t, end+1) == '.' && isLetterByte(findByteAt(t, end+2)) ||
			from > 2 && t[from-2] == '(' && isInSet(stringFunctions, findNameEndingAt(t, from-2))
	}
	return false
}

// inGrammar reports whether the "::" t[from:end] in quotes is a sign of a grammar, between two others: `host '::' IDENT`, or stands in
// a text about colons.
func inGrammar(t string, from, end int) bool {
	if from == 0 || !isOneOf(t[from-1], "\"'`") {
		return false
	}
	k := from - 1
	for k > 0 && from-k < lookBack && t[k-1] != '\n' {
		k--
		if hasFold(t, k, "colon") || strings.HasPrefix(t[k:from], "::=") {
			return true
		}
	}
	if findByteAt(t, end) != t[from-1] || from < 3 || t[from-2] != ' ' || findByteAt(t, end+1) != ' ' {
		return false
	}
	next := findByteAt(t, end+2)
	return (isWordByte(t[from-3]) || isOneOf(t[from-3], "\"'`)]?*+")) && (isUpper(next) || isOneOf(next, "\"'`([|<"))
}

// isInSlice reports whether the "::" at i stands in a slice with several dimensions: behind the ',' or the ':' of another.
func isInSlice(t string, i int) bool {
	k := i
	for k > 0 && i-k < 24 && (isOneOf(t[k-1], ":, .") || isDigitByte(t[k-1])) {
		k--
	}
	if k == 0 || t[k-1] != '[' {
		return false
	}
	return k < i && isOneOf(t[k], ":.") || k == i && i > 1 && (isWordByte(t[i-2]) || isOneOf(t[i-2], ")]"))
}

// stringFunctions are functions that look for a string or put one between others.
var stringFunctions = buildSet("split", "rsplit", "join", "indexof", "lastindexof", "index", "rindex", "find", "rfind", "startswith",
	"endswith", "includes", "contains", "count", "replace", "replaceall", "partition", "rpartition", "explode", "strpos")

// findNameEndingAt returns the name that ends at i.
func findNameEndingAt(t string, i int) string {
	k := i
	for k > 0 && i-k < 16 && isLetterByte(t[k-1]) {
		k--
	}
	return t[k:i]
}

// isInSubscript reports whether what begins at i stands in a subscript, as the
// slice "x[::1]"; the host of a URL does not.
func isInSubscript(t string, i int) bool {
	if i == 0 {
		return false
	}
	switch t[i-1] {
	case '[':
		return i < 2 || t[i-2] != '/' && t[i-2] != ' '
	case ',', ')', ']', ':':
		return true
	}
	return false
}

// findZoneEnd returns where the zone behind an address ends, or end itself.
func findZoneEnd(t string, end int) int {
	if end >= len(t) || t[end] != '%' {
		return end
	}
	j := end + 1
	for j < len(t) && j-end <= zoneMax+1 && (isWordByte(t[j]) || t[j] == '.' || t[j] == '-') {
		j++
	}
	for j > end+1 && (t[j-1] == '.' || t[j-1] == '-') {
		j--
	}
	if j == end+1 || j-end > zoneMax+1 {
		return end
	}
	return j
}
