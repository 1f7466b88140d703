package pii

import "strings"

// secretTypes are what opens something.
var secretTypes = []detector{
	{name: "PRIVATE_KEY", pack: packSecrets, on: []trigger{onMark}, find: findPrivateKey, reach: pemMax + 100, masked: true},
	{name: "API_KEY", pack: packSecrets, on: []trigger{onUpper, onMark, onNumber, onColon, onEqual}, find: findAPIKey, reach: 2 * keyMax},
	{name: "JWT", pack: packSecrets, on: []trigger{onUpper, onMark}, find: findJWT, reach: jwtMax},
	{name: "URL_CREDENTIALS", pack: packSecrets, on: []trigger{onColon}, find: findURLCredentials, reach: 2 * userinfoMax},
	{name: "PASSWORD", pack: packSecrets, on: []trigger{onColon, onEqual}, find: findPassword, reach: valueMax, masked: true},
	{name: "CRYPTO_ADDRESS", pack: packBank, on: []trigger{onNumber}, find: findCrypto},
}

// findAPIKey recognises access keys: by their prefix, and by the name before.
func findAPIKey(s *scan, i int) (int, int, float32) {
	t := s.v.s
	switch c := t[i]; {
	case digit(c):
		return s.numberedKey(i)
	case c == ':':
		if from, to, score := s.keyWithColon(i); score > 0 {
			return from, to, score
		}
	case marks[c] == onUpper || marks[c] == onMark:
		return findKey(s, i)
	}
	kind, from, to := s.keyed(i)
	if kind != namesKey && kind != namesAuthorization || to-from < 10 || to-from > 300 {
		return 0, 0, 0
	}
	for to > from && strings.IndexByte(".,;:", t[to-1]) >= 0 {
		to--
	}
	v := t[from:to]
	if strings.HasPrefix(v, "ey") && strings.Contains(v, ".ey") { // a JWT
		return 0, 0, 0
	}
	if !secretLike(v) {
		return 0, 0, 0
	}
	return from, to, 0.75
}

// secretLike reports whether a value behind a telling name is a key: random
// letters and digits, not a path, a name, a number or an expression.
func secretLike(v string) bool {
	digits, letters, other, upperAfterLower := 0, 0, 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case digit(c):
			digits++
		case letter(c):
			letters++
			if i > 0 && upper(c) && letter(v[i-1]) && !upper(v[i-1]) {
				upperAfterLower++
			}
		case c == '/' || c == '.' || c == ':' || c == '%' || c == '+' || c == '=' || c == '-' || c == '_' || c == '~' || c == '|':
			other++
		default:
			return false
		}
	}
	if placeholderWord(v) || strings.Contains(v, "xxxx") || strings.Contains(v, "XXXX") || strings.Contains(v, "://") || strings.Contains(v, "****") || strings.Contains(v, "....") {
		return false
	}
	if strings.HasPrefix(v, "/") || strings.HasPrefix(v, "./") || strings.HasPrefix(v, "{{") || pathLike(v) {
		return false
	}
	if digits == 0 {
		return letters >= 20 && upperAfterLower >= 4 && entropy(v) >= 4
	}
	if digits < 2 && len(v) < 20 && other > 0 || letters == 0 && (len(v) < 16 || other > 2 || straight([]byte(v))) {
		return false
	}
	if len(v) >= 48 && strings.Contains(strings.ToLower(v), "abcdefghijklm") {
		return false // an alphabet
	}
	return entropy(v) >= 3
}

// pathLike reports whether v is words joined by marks, as in a file's or a
// variable's name: every piece is letters, or digits of few places.
func pathLike(v string) bool {
	pieces, plain, start := 0, 0, 0
	for i := 0; i <= len(v); i++ {
		if i < len(v) && alnum(v[i]) {
			continue
		}
		if i > start {
			pieces++
			p := v[start:i]
			d := 0
			for k := range len(p) {
				if digit(p[k]) {
					d++
				}
			}
			if d == 0 || d == len(p) && d <= 5 || len(p) <= 12 && d <= 4 && trailingDigits(p) == d && d < len(p) && len(p)-d >= 2 {
				plain++
			}
		}
		start = i + 1
	}
	return pieces == plain && (pieces > 1 || pieces == 1 && len(v) < 16 && strings.ToLower(v) == v && trailingDigits(v) <= 4 && trailingDigits(v) > 0)
}

func trailingDigits(p string) int {
	n := 0
	for n < len(p) && digit(p[len(p)-1-n]) {
		n++
	}
	return n
}
