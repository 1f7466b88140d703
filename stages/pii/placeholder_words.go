package pii

import "strings"

// isPlaceholderWord reports whether a text replaces a secret: a variable, a mask, or an example of a manual.
func isPlaceholderWord(p string) bool {
	if p == "" {
		return true
	}
	switch c := p[0]; c {
	case '$', '<', '{', '%', '*', '[', '#', '(':
		if len(p) > 1 && (c != '%' && c != '#' && c != '$' || !isAlnum(p[1]) || c == '$' && isUpper(p[1])) {
			return true
		}
	}
	same := true
	for i := range len(p) {
		same = same && p[i] == p[0]
	}
	if p[0] == '%' && len(p) > 2 && p[len(p)-1] == '%' || same || strings.HasPrefix(p, "***") || strings.HasPrefix(p, "xxx") ||
		strings.HasPrefix(p, "XXX") ||
		strings.Contains(p, "****") {
		return true
	}
	if head, tail, ok := strings.Cut(p, "***"); ok && len(head) < 4 && len(tail) < 5 {
		return true // what a log leaves of a secret
	}
	if len(p) > 24 {
		return false
	}
	var low [24]byte
	n := 0
	for i := range len(p) {
		if c := p[i]; isLetterByte(c) {
			low[n] = c | 0x20
			n++
		}
	}
	return n > 0 && standIns[string(low[:n])] || n == len(p) && shortStandIns[string(low[:n])]
}

// shortStandIns stand for a secret only if nothing else is in the value: with digits and marks they begin what people choose,
// "MyPass2024!".
var shortStandIns = buildSet("pw", "mypass")

// standIns are words that people write instead of a secret.
var standIns = buildSet(
	"password",
	"passwd",
	"pswd",
	"pass",
	"pwd",
	"secret",
	"token",
	"key",
	"apikey",
	"user",
	"username",
	"yourpassword",
	"mypassword",
	"yourtoken",
	"yourapikey",
	"yourkey",
	"yoursecret",
	"null",
	"none",
	"nil",
	"undefined",
	"true",
	"false",
	"string",
	"str",
	"required",
	"optional",
	"example",
	"redacted",
	"hidden",
	"masked",
	"empty",
	"todo",
	"tbd",
	"value",
	"text",
	"hash",
	"prompt",
	"input",
	"reset",
	"field",
	"placeholder",
	"yourtokenhere",
	"insertpasswordhere",
	"env",
	"bool",
	"boolean",
	"int",
	"object",
	"process",
	"getenv",
	"await",
	"async",
	"self",
	"this",
	"args",
	"config",
	"options",
	"request",
	"params",
	"func",
	"function",
	"lambda",
	"credentials",
)

func buildSet(words ...string) map[string]bool {
	m := make(map[string]bool, len(words))
	for _, w := range words {
		m[w] = true
	}
	return m
}
