package pii

import (
	"slices"
	"strings"
)

// namesMachine reports whether local@domain, whose parts begin at from and dom, is the user of a machine or of a repository, or a name of
// programs with an '@' in it, rather than an address that takes mail.
func namesMachine(s *scan, from, at, dom, end int) bool {
	t := s.v.s
	local, domain := t[from:at], strings.ToLower(t[dom:end])
	if local == "git" && hostsRepositories(domain) || (local == "this" || local == "super") && isUpper(t[dom]) {
		return true // a label of Kotlin, which names a class: "this@MainActivity.window"
	}
	if isVariableOfURL(t, from, local) || isUserOfURL(t, from, local, domain) || isMessageInURL(t, from, local) ||
		isPartOfCode(s, from, local) {
		return true
	}
	point := strings.LastIndexByte(domain, '.')
	last := domain[point+1:]
	if isInSet(madeUpLevels, last) || strings.HasPrefix(domain, "xx.xx.") || !isInSet(topLevels, last) && callsOnMatrix(s, from, at, dom, end) {
		return true // the second are versions that are blotted out, "name@XX.XX.XX"
	}
	if isInSet(artifactKinds, last) && (isDotless(domain[:max(point, 0)]) || numbersLine(s, from, end)) {
		return true
	}
	return isInSet(unitKinds, last) || beginsWithVersion(domain) ||
		isInUserinfo(s, from)
}

// callsOnMatrix reports whether local@domain is a product of matrices in Python, whose names are capitals, and a method of the second
// follows: "U@S.sqrt()". People write comments behind addresses: "kim@example.shop(work)".
func callsOnMatrix(s *scan, from, at, dom, end int) bool {
	t := s.v.s
	s.noteLookAhead(from, end+1)
	name, method, _ := strings.Cut(t[dom:end], ".")
	return findByteAt(t, end) == '(' && isUpper(t[at-1]) && isUpper(name[0]) && strings.ToUpper(name) == name &&
		strings.ToLower(method) == method
}

// numbersLine reports whether a ':' and a digit follow at end: the place of a function in a file, "main@a.out.js:1337:42".
func numbersLine(s *scan, from, end int) bool {
	s.noteLookAhead(from, end+2)
	return findByteAt(s.v.s, end) == ':' && isDigitByte(findByteAt(s.v.s, end+1))
}

// isVariableOfURL reports whether local is the name of a variable that stands for the user of a URL:
// "https://$FURY_TOKEN@push.example.io".
func isVariableOfURL(t string, from int, local string) bool {
	return from > 3 && t[from-4:from] == "://$" && isIdentifierPath(local) && isDotless(local)
}

// isUserOfURL reports whether local follows the "://" of a URL and is a token, which findURLCredentials reports, or the name of a user
// of a server of repositories: "https://kim@bitbucket.org/kim/x". Names with points, digits and marks may be those of people and
// secrets.
func isUserOfURL(t string, from int, local, domain string) bool {
	if from < 4 || t[from-3:from] != "://" || findSchemeStart(t, from-3) == from-3 || findByteAt(t, from+len(local)) != '@' {
		return false
	}
	if local == "user" || local == "username" || isWordOfLetters(local) && strings.Contains("."+domain, ".sentry.") {
		return true // the last is the public key by which a program reports errors
	}
	return isTokenOfURL(local) || hostsRepositories(domain) && isWordOfLetters(local) && looksLikeName(local)
}

// userMax is the length of the longest word that passes for the name of a user.
const userMax = 20

// isWordOfLetters reports whether v is letters of ASCII and no more than a name has.
func isWordOfLetters(v string) bool {
	for i := range len(v) {
		if !isLetterByte(v[i]) {
			return false
		}
	}
	return len(v) <= userMax
}

// isDotless reports whether v is one label: the page "kim@example.org.html" is named after an address.
func isDotless(v string) bool { return !strings.Contains(v, ".") }

// hostsRepositories reports whether a domain is that of a server of repositories, whose user is "git" for everybody.
func hostsRepositories(domain string) bool {
	return strings.HasPrefix(domain, "git") || strings.HasPrefix(domain, "bitbucket.") || domain == "codeberg.org" ||
		strings.Contains(domain, ".git.") || strings.HasSuffix(domain, ".github.com") || strings.HasSuffix(domain, "dev.azure.com") ||
		strings.HasSuffix(domain, ".visualstudio.com")
}

// unitKinds end the names of units of systemd, "getty@tty1.service"; none of them is a top-level domain.
var unitKinds = buildSet("service", "socket", "timer", "mount", "automount", "swap", "slice", "scope")

// artifactKinds end the names of files that packages have, "logo@dark.svg"; none of them is a top-level domain.
var artifactKinds = buildSet("js", "mjs", "cjs", "jsx", "tsx", "json", "css", "scss", "html", "png", "jpg", "jpeg", "svg", "gif", "webp",
	"yml", "yaml", "xml", "txt", "tgz", "gz", "tar", "whl", "jar", "rb", "lock", "vue", "log")

// namesFileOnly reports whether a domain behind an at that is written out is one label and the kind of a file, as in a listing:
// "n_object_garbage_at_end.json".
func namesFileOnly(domain string) bool {
	label, last, ok := strings.Cut(domain, ".")
	return ok && label != "" && (isInSet(artifactKinds, last) || isInSet(dataKinds, last))
}

// dataKinds end the names of files with data and sources; none of them is a top-level domain.
var dataKinds = buildSet(strings.Fields(`csv tsv jsonl ndjson toml ini cfg conf go cpp hpp ts php exe dll bin dat pdf doc docx xls xlsx ppt pptx
	bmp ico wav bak snap golden tmpl htm kt java patch diff sql rst proto textproto`)...)

// beginsWithVersion reports whether the first two labels of a domain are numbers: "react-dom@17.0.2.production.min.js".
func beginsWithVersion(domain string) bool {
	k := 0
	for k < len(domain) && isDigitByte(domain[k]) {
		k++
	}
	major := k
	for k++; k < len(domain) && isDigitByte(domain[k]); {
		k++
	}
	return major > 0 && domain[major] == '.' && k > major+1 && findByteAt(domain, k) == '.'
}

// isInUserinfo reports whether what begins at from is the password in the authority of a URL, "https://user:password@host", or the user of
// a protocol for machines, "ssh://git@host". Such a user of a web page may be a person's address.
func isInUserinfo(s *scan, from int) bool {
	t, low := s.v.s, s.v.stepBack(from, keyedBack)
	k, colon := from, false
	for ; k > low && (isAlnum(t[k-1]) || isOneOf(t[k-1], ".-_~%!$&*+=:@")); k-- {
		switch t[k-1] {
		case ':':
			colon = colon || k < len(t) && t[k] != '/'
		case '@':
			if !splitsUserinfo(t, low, k-1) {
				return false
			}
		}
	}
	if colon && k > low+2 && t[k-1] == '/' && t[k-2] == '/' && isOneOf(t[k-3], "\"'(") {
		user, password, _ := strings.Cut(t[k:], ":")
		password = password[:max(0, strings.IndexByte(password, '@'))]
		return standsForSecret(password) || namesRoles(user, password) // a URL that takes the scheme of its page
	}
	if k < low+3 || t[k-1] != '/' || t[k-2] != '/' || t[k-3] != ':' {
		return false
	}
	if colon {
		return true
	}
	scheme := strings.ToLower(t[findSchemeStart(t, k-3) : k-3])
	return containsAny(scheme, machineSchemes) || containsAny(scheme, databaseSchemes) && k == from && isOnlyUser(s, from)
}

// containsAny reports whether v contains one of words.
func containsAny(v string, words []string) bool {
	return slices.ContainsFunc(words, func(w string) bool { return strings.Contains(v, w) })
}

// machineSchemes are in the schemes of URLs whose users are those of machines, and databaseSchemes in those of databases and stores.
var (
	machineSchemes  = strings.Fields("ssh git svn ftp rsync scp")
	databaseSchemes = strings.Fields("postgres mysql mariadb mongodb sqlserver amqp clickhouse wasb abfs")
)

// isOnlyUser reports whether what begins at from, behind the "://" of a URL, is one word without a point before an '@', and no other '@'
// follows in the authority, in which case the word begins somebody's address: "mongodb://kim@example.com:secret@host".
func isOnlyUser(s *scan, from int) bool {
	t := s.v.s
	k, signs := from, 0
	for ; k < len(t) && k-from < userinfoMax && !isOneOf(t[k], " \n\r\t\"'<>`\\/?#"); k++ {
		if t[k] == '@' {
			signs++
		}
		if signs > 1 || hasFold(t, k, "%40") || signs == 0 && !isWordByte(t[k]) && t[k] != '-' {
			s.noteLookAhead(from, k+1)
			return false
		}
	}
	s.noteLookAhead(from, k+1)
	return signs == 1 && namesLogin(t[from:from+strings.IndexByte(t[from:k], '@')])
}

// namesLogin reports whether a word may be the name of a user of a database or of a store: up to two digits at its end, and no random
// letters.
func namesLogin(v string) bool {
	name := strings.TrimRight(v, digits09)
	return len(v) <= userMax && len(v)-len(name) < 3 && isDigitless(name) && (len(v) < 9 || looksLikeName(name))
}

// splitsUserinfo reports whether the '@' at i stands in the user or the password of a URL, which writers forget to escape:
// "https://kim@work:pass@host". A space ends a URL: what follows it is somebody's address.
func splitsUserinfo(t string, low, i int) bool {
	k := i
	for k > low && t[k-1] != '/' && t[k-1] != ' ' && t[k-1] != '\n' {
		k--
	}
	if k < low+3 || t[k-1] != '/' || t[k-2] != '/' || t[k-3] != ':' {
		return false
	}
	_, password, named := strings.Cut(t[k:i], ":")
	return !named || password != ""
}
