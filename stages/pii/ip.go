package pii

import "strings"

// ipWords let the short forms of IPv6, such as "::1", count.
var ipWords = []string{
	"ip",
	"ips",
	"ipv4",
	"ipv6",
	"addr",
	"address",
	"inet6",
	"host",
	"gateway",
	"src",
	"dst",
	"remote",
	"client",
	"server",
	"peer",
	"dns",
	"nameserver",
	"ping",
	"ping6",
	"loopback",
	"localhost",
	"multicast",
	"broadcast",
	"unicast",
	"unspecified",
	"subnet",
	"cidr",
	"netmask",
	"interface",
	"listen",
	"bind",
}

// ipHints make an address of four small numbers that could also be a version or a section.
var ipHints = []string{
	"connect", "connected", "connecting", "ssh", "telnet", "traceroute", "dial", "route", "blocked", "banned",
}

// findIP recognises IPv4 addresses at their first group of digits and IPv6
// addresses at their first colon, each with a prefix length if there is one.
func findIP(s *scan, i int) (int, int, float32) {
	if s.v.s[i] == ':' {
		return findIPv6(s, i)
	}
	return findIPv4(s, i)
}

// isInRange reports whether a comparison stands before t[i:end], as in the range of versions of a package, but not one of addresses:
// "src_ip<=1.2.3.4". Behind a space, as in prose, only what ends in ".0" is a version.
func isInRange(t string, i, end int) bool {
	if i > 0 && t[i-1] == ' ' {
		if !strings.HasSuffix(t[i:end], ".0") || end-i > len("99.9.9.0") {
			return false
		}
		i--
	}
	if i < 2 || t[i-1] != '=' || !isOneOf(t[i-2], "<>~") {
		return false
	}
	for _, name := range [...]string{"ip", "addr", "address", "host", "src", "dst"} {
		if from := len(strings.TrimRight(t[max(0, i-4):i-2], " ")) + max(0, i-4) - len(name); from >= 0 && hasFold(t, from, name) {
			return false
		}
	}
	return true
}

// findIPv4 wants exactly four parts of 0 to 255 without leading zeros: another
// count of parts is a version or an object identifier.
func findIPv4(s *scan, i int) (int, int, float32) {
	n, t := &s.num, s.v.s
	if !hasFourOctets(n, t) {
		return 0, 0, 0
	}
	if i > 0 && (isWordByte(t[i-1]) && n.prev == 0 && !isGlued(t, i) || isOneOf(t[i-1], ".%")) || isProductVersion(t, i) {
		return 0, 0, 0 // behind '%' the first digits are those of an escape: "%201.42.91.9"
	}
	end := n.end[3]
	if end < len(t) && isWordByte(t[end]) {
		return 0, 0, 0
	}
	if i > 1 && t[i-2:i] == "( " {
		s.noteLookAhead(i, end+len(" name "))
	}
	if namesOtherNumber(s, i, end) {
		return 0, 0, 0
	}
	to := findPrefixEnd(t, end, 32)
	if end < len(t) && isOneOf(t[end], "-\\") {
		s.noteLookAhead(i, end+revisionMax)
	}
	if to == end && (isPackageVersion(t, i, end) || numbersProgram(t, i, end)) {
		return i, to, 0.45
	}
	if to == end && (headsComment(t, i, end) || behindStandard(t, i)) && numbersSection(n, t, i, end) {
		return 0, 0, 0
	}
	if to == end && numbersSection(n, t, i, end) && !(end+1 < len(t) && t[end] == ':' && isDigitByte(t[end+1])) {
		return i, to, 0.45
	}
	return i, to, 0.8
}

// namesCurve reports whether v is the object identifier of X25519, X448, Ed25519 or Ed448 (RFC 8410).
func namesCurve(v string) bool {
	return len(v) == len("1.3.101.110") && strings.HasPrefix(v, "1.3.101.11") && v[10] <= '3'
}

// describesSchema reports whether t[i:end] is the object identifier of an attribute in a schema (RFC 4512): "( 2.5.4.32 NAME 'owner'".
func describesSchema(t string, i, end int) bool {
	return i > 1 && t[i-1] == ' ' && t[i-2] == '(' && (hasFold(t, end, " name ") || hasFold(t, end, " desc ")) && t[i] <= '2'
}

// hasFourOctets reports whether the groups of digits are four octets with points between them, and no fifth.
func hasFourOctets(n *numbers, t string) bool {
	if n.n < 4 || n.sep[0] != '.' || n.sep[1] != '.' || n.sep[2] != '.' || isOneOf(n.sep[3], "._") || isOneOf(n.prev, "._") {
		return false
	}
	for k := range 4 {
		if !isOctet(t[n.start[k]:n.end[k]]) {
			return false
		}
	}
	return true
}

// isOctet reports whether a group of digits is 0 to 255 in its shortest form.
func isOctet(g string) bool {
	switch len(g) {
	case 1:
		return true
	case 2:
		return g[0] != '0'
	case 3:
		return g[0] == '1' || g[0] == '2' && (g[1] < '5' || g[1] == '5' && g[2] <= '5')
	}
	return false
}

// findPrefixEnd returns where "/24" behind an address ends, or end itself.
func findPrefixEnd(t string, end, limit int) int {
	if end >= len(t) || t[end] != '/' {
		return end
	}
	v, j := 0, end+1
	for j < len(t) && j < end+5 && isDigitByte(t[j]) {
		v = v*10 + int(t[j]-'0')
		j++
	}
	if j == end+1 || v > limit || j < len(t) && (isWordByte(t[j]) || t[j] == '/') || j+1 < len(t) && t[j] == '.' && isDigitByte(t[j+1]) {
		return end
	}
	return j
}
