package pii

import "strings"

// endsInClass reports whether the last label of a domain behind an at that is written out has a capital behind a small letter and is no
// common top-level domain: the path of a class in a module, "core.parameter_at_instant.ParameterAtInstant".
func endsInClass(domain string) bool {
	last := domain[strings.LastIndexByte(domain, '.')+1:]
	for i := 1; i < len(last); i++ {
		if isUpper(last[i]) && isLetterByte(last[i-1]) && !isUpper(last[i-1]) {
			return !isInSet(topLevels, last)
		}
	}
	return false
}

// messageIDMin is the length of the shortest local part that passes for the identifier of a mail; people's names in paths are shorter, or
// have no digit.
const messageIDMin = 12

// messagePaths are what archives of mail have in URLs before the identifier of one (RFC 5322, 3.6.4), in small letters.
var messagePaths = []string{
	"/message-id/", "/msgid/", "/msg-id/", "//lore.kernel.org/r/", "//lore.kernel.org/all/", "//lore.kernel.org/lkml/",
}

// isMessageInURL reports whether local, at from, begins the identifier of a mail in the URL of an archive.
func isMessageInURL(t string, from int, local string) bool {
	if len(local) < messageIDMin || isDigitless(local) {
		return false
	}
	for _, path := range messagePaths {
		if k := from - len(path); k >= 0 && hasFold(t, k, path) {
			return true
		}
	}
	return false
}

// isDecorator reports whether local is only the letter of an escape, so that the '@' begins a line: "import x\n@app.route('/')".
func isDecorator(t string, from int, local string) bool {
	return len(local) == 1 && isOneOf(local[0], "nrt") && findByteBefore(t, from) == '\\'
}

// isPartOfCode reports whether local, at from, is not where an address begins: the letter of an escape, the verb of a format, the realm of
// an authentication, the user of a repository that is cloned, a port, or the identifier of a mail.
func isPartOfCode(s *scan, from int, local string) bool {
	t := s.v.s
	if hasTimeOfEvent(local) || namesExtension(t, from, local) || isDecorator(t, from, local) ||
		len(local) == 1 && isOneOf(local[0], "dsvxiu") && findByteBefore(t, from) == '%' {
		return true
	}
	head := t[s.v.stepBack(from, keyedBack):from]
	if strings.HasSuffix(head, `realm="`) && announcesRealm(head) || followsRealm(head, local) || namesMessage(local) {
		return true
	}
	return strings.HasSuffix(head, "git clone ") && servesRepositories(local) || followsHostOfPort(head, local) ||
		identifiesPart(head, local) ||
		len(local) >= messageIDMin && !isDigitless(local) && followsMessageName(head)
}

// servesRepositories reports whether local is the user of a server of repositories that all its users share: "gitolite".
func servesRepositories(local string) bool {
	return strings.HasPrefix(local, "git") || local == "user" || local == "repo" || local == "deploy"
}

// hasTimeOfEvent reports whether local has the time of day and the date with which programs of calendars begin the identifiers of events
// (RFC 5545, 3.8.4.7): "19970901T130000Z-123401".
func hasTimeOfEvent(local string) bool {
	k := strings.IndexByte(local, 'T')
	if k < 6 || k+7 > len(local) || strings.Trim(local[k-6:k]+local[k+1:k+7], digits09) != "" {
		return false
	}
	return k+7 == len(local) || !isDigitByte(local[k+7])
}

// namesExtension reports whether local names an extension of SSH behind whose name stands who made it (RFC 4251, 6):
// "auth-agent-req@openssh.com". Such names are known or have a dash and a digit; those of people are found.
func namesExtension(t string, from int, local string) bool {
	at := from + len(local)
	if !isInSet(extensions, local) && (isDigitless(local) || !strings.Contains(local, "-")) || findByteBefore(t, from) == '<' {
		return false
	}
	for _, domain := range [...]string{"@openssh.com", "@libssh.org"} {
		if end := at + len(domain); hasFold(t, at, domain) && !isAlnum(findByteAt(t, end)) && findByteAt(t, end) != '-' &&
			!(findByteAt(t, end) == '.' && isAlnum(findByteAt(t, end+1))) {
			return true
		}
	}
	return false
}

// extensions are the names of those of OpenSSH that have no dash or no digit.
var extensions = buildSet(strings.Fields(`auth-agent auth-agent-req associated-constraints cancel-streamlocal-forward copy-data
	direct-streamlocal eow expand-path forwarded-streamlocal fstatvfs fsync hardlink hostkeys keepalive limits lsetstat
	no-more-sessions ping pong posix-rename publickey-hostbound query session-bind sk-provider statvfs streamlocal-forward tun zlib`)...)

// announcesRealm reports whether head ends in a scheme of authentication and its realm (RFC 7235, 2.2): `Digest realm="`.
func announcesRealm(head string) bool {
	for _, scheme := range [...]string{"Digest", "Basic", "Bearer", "Negotiate"} {
		if strings.HasSuffix(head, scheme+` realm="`) {
			return true
		}
	}
	return false
}

// followsHostOfPort reports whether local is a port behind a host with a point in its name, "a.test:8080@b.test". Behind a word alone it
// may be somebody's number: "qq:10001@qq.com".
func followsHostOfPort(head, local string) bool {
	host, ok := strings.CutSuffix(head, ":")
	if !ok || len(local) > 5 || strings.Trim(local, digits09) != "" {
		return false
	}
	k := len(host)
	for k > 0 && (isAlnum(host[k-1]) || isOneOf(host[k-1], ".-")) {
		k--
	}
	return strings.Contains(strings.Trim(host[k:], "."), ".")
}

// followsRealm reports whether local speaks of a realm and head ends in the word, what compares or assigns, and a quote:
// `auth.realm == "testrealm@`.
func followsRealm(head, local string) bool {
	if len(local) < 5 || !strings.HasSuffix(strings.ToLower(local), "realm") ||
		!strings.HasSuffix(head, `"`) && !strings.HasSuffix(head, "'") {
		return false
	}
	return strings.HasSuffix(strings.ToLower(strings.TrimRight(head, "\"' \t:=")), "realm")
}

// namesMessage reports whether local is what a server of mail calls a message or a bounce: a UUID (RFC 9562), or one between
// hexadecimal digits and a number.
func namesMessage(local string) bool {
	if k := strings.IndexByte(local, '-'); k > 8 && strings.Trim(local[:k], digits09+"abcdefABCDEF") == "" {
		local = local[k+1:]
	}
	if k := strings.LastIndexByte(local, '-'); k == uuidLength && strings.Trim(local[k+1:], digits09) == "" {
		local = local[:k]
	}
	return len(local) == uuidLength && isUUID(local) && strings.Trim(local[19:], digits09+"abcdefABCDEF-") == ""
}

// uuidLength is the length of a UUID.
const uuidLength = 36

// identifiesPart reports whether local identifies a part of a mail or an event by what is before it: the scheme "cid:" (RFC 2392) and two
// numbers, or the name of an identifier and 20 characters with three numbers and many digits. People's addresses end in one, the year.
func identifiesPart(head, local string) bool {
	digits, runs := countNumbers(local)
	if low := strings.ToLower(head[max(0, len(head)-24):]); strings.HasSuffix(low, "cid:") {
		return runs > 1 && (len(low) < 5 || !isAlnum(low[len(low)-5]))
	} else if low = strings.TrimRight(low, " \"'=:(,"); !strings.HasSuffix(low, "uid") && !strings.HasSuffix(low, "related-to") {
		return false
	}
	return len(local) >= 20 && digits > 4 && runs > 2
}

// countNumbers returns how many digits v has, and in how many rows.
func countNumbers(v string) (digits, runs int) {
	for i := range len(v) {
		if !isDigitByte(v[i]) {
			continue
		}
		if digits++; i == 0 || !isDigitByte(v[i-1]) {
			runs++
		}
	}
	return digits, runs
}

// messageNames are the names of fields that hold identifiers of mails, in small letters.
var messageNames = strings.Fields("message-id messageid message_id in-reply-to content-id")

// followsMessageName reports whether head ends in the name of such a field, what separates it from its value, and a '<'. In a list of
// headers the word "value" stands between: `"name": "Message-ID", "value": "<`.
func followsMessageName(head string) bool {
	head, ok := strings.CutSuffix(strings.ToLower(head), "<")
	if !ok && !strings.HasSuffix(head, "&lt;") {
		return false
	}
	head = strings.TrimRight(strings.TrimSuffix(head, "&lt;"), " \t\r\n\"':=\\")
	head = strings.TrimRight(strings.TrimSuffix(head, "value"), " \t\r\n\"':=,\\")
	for _, name := range messageNames {
		if strings.HasSuffix(head, name) {
			return true
		}
	}
	return false
}

// madeUpLevels end domains that nobody has, in which only writers of programs put names.
var madeUpLevels = buildSet("baz", "qux", "quux", "quuz", "corge")
