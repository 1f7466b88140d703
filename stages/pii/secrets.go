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

// findPassword recognises what stands behind the name of a password.
func findPassword(s *scan, i int) (int, int, float32) {
	t := s.v.s
	kind, from, to := s.keyed(i)
	if kind != namesPassword || to-from < 4 || to-from > 128 {
		return 0, 0, 0
	}
	quoted := from > 0 && (t[from-1] == '"' || t[from-1] == '\'' || t[from-1] == '`')
	if !quoted {
		for to > from && (t[to-1] == '.' || t[to-1] == ',') {
			to--
		}
	}
	v := t[from:to]
	if len(v) < 4 || placeholderWord(v) || strings.ContainsAny(v, "()") && !quoted || strings.HasSuffix(v, ".") || strings.HasPrefix(v, "{{") {
		return 0, 0, 0
	}
	if !quoted && t[i] == ':' && i+1 < len(t) && t[i+1] == ' ' && plainWord(v) {
		return 0, 0, 0 // "password: the one that ..."
	}
	return from, to, 0.8
}

// plainWord reports whether v is one word in one case.
func plainWord(v string) bool {
	for i := range len(v) {
		if !letter(v[i]) && v[i] < 0x80 || i > 0 && upper(v[i]) && !upper(v[0]) {
			return false
		}
	}
	return true
}

// keyWithColon recognises the keys of bots, "digits:AAletters", and the licence
// of a package server before its host.
func (s *scan) keyWithColon(i int) (int, int, float32) {
	t := s.v.s
	a := i
	for a > 0 && i-a < 17 && digit(t[a-1]) {
		a--
	}
	if n := i - a; n >= 5 && n <= 16 && (a == 0 || !word(t[a-1])) {
		j := i + 1
		for j < len(t) && j-i < 38 && keySet[t[j]]>>dashes&1 != 0 {
			j++
		}
		s.ahead(a, j+1)
		if j-i-1 >= 34 && j-i-1 <= 36 && t[i+1] == 'A' {
			return a, j, 0.9
		}
		return 0, 0, 0
	}
	if strings.HasPrefix(t[i:], "://") {
		return s.webhook(i)
	}
	if len(t)-i < 3 && strings.HasPrefix("://", t[i:]) && schemeStart(t, i) < i {
		s.ahead(schemeStart(t, i), len(t)+1)
	}
	return 0, 0, 0
}

// webhooks are addresses that anybody who knows them can post to.
var webhooks = []struct {
	host string
	min  int // characters behind
}{
	{"hooks.slack.com/services/", 30},
	{"hooks.slack.com/workflows/", 30},
	{"hooks.slack.com/triggers/", 30},
	{"discord.com/api/webhooks/", 60},
	{"discordapp.com/api/webhooks/", 60},
	{"outlook.office.com/webhook/", 60},
}

func (s *scan) webhook(i int) (int, int, float32) {
	t, h := s.v.s, i+3
	start := schemeStart(t, i)
	host := h
	for host < len(t) && host-h < 40 && (alnum(t[host]) || t[host] == '-') {
		host++
	}
	if strings.HasPrefix(t[host:], ".webhook.office.com/webhookb2/") {
		if end := s.urlEnd(start, host); end-host > 100 {
			return start, end, 0.95
		}
	}
	s.ahead(start, host+len(".webhook.office.com/webhookb2/"))
	for _, w := range webhooks {
		rest := t[h:]
		if len(rest) < len(w.host) && strings.HasPrefix(w.host, rest) {
			s.ahead(start, len(t)+1)
		}
		if !strings.HasPrefix(rest, w.host) {
			continue
		}
		j := h + len(w.host)
		for j < len(t) && j-h < 300 && (keySet[t[j]]>>dots&1 != 0 || t[j] == '/' || t[j] == '@') {
			j++
		}
		s.ahead(start, j+1)
		if j-h-len(w.host) >= w.min {
			return start, j, 0.95
		}
	}
	// hex:hex@gems.contribsys.com
	j := h
	for j < len(t) && j-h < 18 && (class[t[j]]&isHex != 0 || t[j] == ':') {
		j++
	}
	if j-h == 17 && t[h+8] == ':' {
		s.ahead(start, j+30)
		if j < len(t) && t[j] == '@' && strings.Contains(t[j:min(len(t), j+26)], ".contribsys.com") {
			return h, j, 0.95
		}
	}
	return 0, 0, 0
}

// numberedKey recognises keys whose prefix is small letters and digits only.
func (s *scan) numberedKey(i int) (int, int, float32) {
	t := s.v.s
	a := i
	for a > 0 && i-a < 8 && alnum(t[a-1]) {
		a--
	}
	if a > 0 && word(t[a-1]) {
		return 0, 0, 0
	}
	if c := t[a]; c != 'd' && c != '4' && c != 's' && c != 'o' {
		return 0, 0, 0
	}
	rest := t[a:]
	for _, f := range smallPrefixes {
		if !strings.HasPrefix(rest, f.prefix) {
			if len(rest) < len(f.prefix) && strings.HasPrefix(f.prefix, rest) {
				s.ahead(a, len(t)+1)
			}
			continue
		}
		j := a + len(f.prefix)
		for j < len(t) && j-a <= 60 && keySet[t[j]]>>f.of&1 != 0 {
			j++
		}
		end := j
		if f.prefix == "dapi" && j+1 < len(t) && t[j] == '-' && digit(t[j+1]) {
			end = j + 2
		}
		s.ahead(a, j+3)
		if n := j - a - len(f.prefix); n == f.n && (j == len(t) || !word(t[j])) && entropy(t[a:j]) > 2.6 {
			return a, end, 0.9
		}
	}
	return 0, 0, 0
}

var smallPrefixes = []struct {
	prefix string
	of     keyClass
	n      int
}{{"dapi", hexes, 32}, {"4b1d", alnums, 38}, {"sha256~", dashes, 43}, {"oy2", alnums, 43}}
