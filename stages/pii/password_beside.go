package pii

import "strings"

// selectsNodes reports whether v is an expression of XPath: a path with the condition that an element or an attribute must meet,
// "/String/Key[text()=...]".
func selectsNodes(v string) bool {
	if v[0] != '/' {
		return false
	}
	for _, condition := range [...]string{"[text(", "[@", "[contains(", "[starts-with(", "[local-name(", "[normalize-space(", "[position("} {
		if k := strings.Index(v, condition); k > 1 && isWordByte(v[k-1]) {
			return true
		}
	}
	return false
}

// encryptsWith reports whether v is the name of a way to encrypt with the size of its key: "aes-256-cbc".
func encryptsWith(v string) bool {
	return namesAlgorithm(v) && containsAny(v, cipherSizes)
}

// cipherSizes are sizes of keys and blocks of ciphers, in bits.
var cipherSizes = strings.Fields("128 192 256 512")

// inputTypes are types of the input element of HTML that hold no text, and elements like it.
var inputTypes = buildSet("hidden", "checkbox", "radio", "submit", "button", "range", "color", "reset", "select", "textarea")

// repeatsEvent reports whether the entry before the name at the separator i has the name of an input type and the same value v, as in a
// map from types to events: `'hidden': 'change', 'password': 'change'`.
func repeatsEvent(s *scan, i int, v string) bool {
	if !isPlainWord(v) {
		return false
	}
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	from, _ := s.findNameBefore(i)
	head := strings.TrimRight(t[min(low, from):from], " \n\r\t\"',")
	head, ok := strings.CutSuffix(head, v)
	if !ok {
		return false
	}
	head = strings.TrimRight(head, " \"':=")
	k := len(head)
	for k > 0 && isLetterByte(head[k-1]) {
		k--
	}
	return isInSet(inputTypes, head[k:])
}

// annotates reports whether the value in quotes that ends at to, behind the ':' at i, is the type of a variable of Python that is assigned
// next: `PASSWORD: "LoginType" = "m.login.password"`.
func annotates(s *scan, i, to int, quoted bool) bool {
	const next = `" = "`
	s.noteLookAhead(i, to+len(next))
	return quoted && s.v.s[i] == ':' && strings.HasPrefix(s.v.s[to:], next)
}

// pointsToSetting reports whether v is the name of a setting in small letters that begins like the name before the separator at i, and
// the entry before or behind has the same value, as in a table of names: `"redis_port": "redis_url", "redis_password": "redis_url"`.
func pointsToSetting(s *scan, i int, v string) bool {
	k := strings.IndexByte(v, '_')
	if k < 3 || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz_") != "" || !isInSet(settingNouns, v[strings.LastIndexByte(v, '_')+1:]) {
		return false
	}
	t := s.v.s
	from, end := s.findNameBefore(i)
	head := strings.TrimRight(t[s.v.stepBack(from, keyedBack):from], " \n\r\t\"',")
	return strings.HasPrefix(t[from:end], v[:k+1]) && (strings.HasSuffix(head, v) || repeatsBehind(s, i, v))
}

// settingReach is how far behind the name of a setting the next entry is read.
const settingReach = 80

// repeatsBehind reports whether the value v behind the separator at i is also that of the next entry.
func repeatsBehind(s *scan, i int, v string) bool {
	t := s.v.s
	s.noteLookAhead(i, i+settingReach)
	_, next, ok := strings.Cut(t[i:min(len(t), i+settingReach)], v)
	return ok && strings.Contains(next, `: "`+v+`"`)
}

// settingNouns end names of settings.
var settingNouns = buildSet(strings.Fields("url uri host port name user username config settings options dsn db database")...)

// logsResource reports whether the name before the separator at i is that of a resource in the list of changes of a provider of Terraform:
// and the value v at from a name in backquotes: "* resource/random_password: `number` was deprecated".
func logsResource(s *scan, i, from int, v string) bool {
	if findByteBefore(s.v.s, from) != '`' || strings.Trim(v, "abcdefghijklmnopqrstuvwxyz_") != "" {
		return false
	}
	name, _ := s.findNameBefore(i)
	head := s.v.s[s.v.stepBack(name, keyedBack):name]
	return strings.HasSuffix(head, "resource/") || strings.HasSuffix(head, "data-source/") || strings.HasSuffix(head, "data_source/")
}
