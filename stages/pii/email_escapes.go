package pii

import "strings"

// skipLetterOfEscape returns where the text between j and i begins without the letter of an escape that ends a line: "nkim" behind '\\'.
// A domain of Windows or a folder makes it the letter of a user: "CORP\\nina", "C:\\temp\\rob". Nothing before low is read.
func skipLetterOfEscape(t string, low, j, i int) int {
	if j > low && t[j-1] == '\\' && t[j] == 'x' && j+3 < i && class[t[j+1]]&class[t[j+2]]&isHex != 0 {
		return j + 3
	}
	if j <= low || t[j-1] != '\\' || j+1 >= i || !isOneOf(t[j], "nrt") || !isAlnum(t[j+1]) {
		return j
	}
	if endsInDomain(t[low:j-1], t[j] == 'r') || endsInFolder(t[low:j-1]) {
		return j
	}
	return j + 1
}

// Bounds of a word that passes for a domain of Windows because it begins a text; shorter ones are prepositions.
const (
	domainMin = 3
	domainMax = 8
)

// endsInDomain reports whether head ends in the name of a domain of Windows before the backslash of one of its users: in capitals, a
// common one in any case, or a short word in small letters that begins a text or a string. Before an 'r' any word is one: the escape of
// a carriage return has another behind it.
func endsInDomain(head string, any bool) bool {
	k := len(head)
	for k > 0 && (isWordByte(head[k-1]) || head[k-1] == '-') {
		k--
	}
	name := head[k:]
	if len(name) < 2 || !isLetterByte(name[0]) || k > 0 && isOneOf(head[k-1], ".\\") {
		return false
	}
	if any || strings.Trim(name, lettersAZ+digits09) == "" || isInSet(domainNames, strings.ToLower(name)) {
		return true
	}
	return len(name) >= domainMin && len(name) <= domainMax && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz0123456789") == "" &&
		(k == 0 || isOneOf(head[k-1], "\"'`=("))
}

// domainNames are what domains of Windows are often called.
var domainNames = buildSet(strings.Fields(`corp corporate ad ads emea apac amer americas europe asia local localdomain domain intranet internal
	office company contoso fabrikam workgroup ldap global hq win windows staff students campus users prod`)...)

// endsInFolder reports whether head ends in a path of Windows before the backslash of its last part: "C:\\temp", "\\\\server\\share".
func endsInFolder(head string) bool {
	k := len(head)
	for k > 0 && (isWordByte(head[k-1]) || isOneOf(head[k-1], "-.\\$")) {
		k--
	}
	path := head[k:]
	if k > 1 && head[k-1] == ':' && isLetterByte(head[k-2]) && (k == 2 || !isWordByte(head[k-3])) {
		return path == "" || path[0] == '\\'
	}
	return len(path) > 3 && path[:2] == `\\` && isLetterByte(path[2]) && !strings.Contains(path[2:], `\\`)
}
