package pii

import "strings"

// namesMachine reports whether local@domain, whose parts begin at from and dom, is the user of a machine or of a repository, or a name of
// programs with an '@' in it, rather than an address that takes mail.
func namesMachine(s *scan, from, at, dom, end int) bool {
	t := s.v.s
	local, domain := t[from:at], strings.ToLower(t[dom:end])
	if local == "git" && hostsRepositories(domain) || (local == "this" || local == "super") && upper(t[dom]) {
		return true // a label of Kotlin, which names a class: "this@MainActivity.window"
	}
	point := strings.LastIndexByte(domain, '.')
	last := domain[point+1:]
	return inSet(unitKinds, last) || inSet(artifactKinds, last) && isDotless(domain[:max(point, 0)]) || beginsWithVersion(domain) ||
		inUserinfo(s, from)
}

// isDotless reports whether v is one label: the page "kim@example.org.html" is named after an address.
func isDotless(v string) bool { return !strings.Contains(v, ".") }

// hostsRepositories reports whether a domain is that of a server of repositories, whose user is "git" for everybody.
func hostsRepositories(domain string) bool {
	return strings.HasPrefix(domain, "git") || strings.HasPrefix(domain, "bitbucket.") || domain == "codeberg.org"
}

// unitKinds end the names of units of systemd, "getty@tty1.service"; none of them is a top-level domain.
var unitKinds = buildSet("service", "socket", "timer", "mount", "automount", "swap", "slice", "scope")

// artifactKinds end the names of files that packages have, "logo@dark.svg"; none of them is a top-level domain.
var artifactKinds = buildSet("js", "mjs", "cjs", "jsx", "tsx", "json", "css", "scss", "html", "png", "jpg", "jpeg", "svg", "gif", "webp",
	"yml", "yaml", "xml", "txt", "tgz", "gz", "tar", "whl", "jar", "rb", "lock", "vue", "log")

// beginsWithVersion reports whether the first two labels of a domain are numbers: "react-dom@17.0.2.production.min.js".
func beginsWithVersion(domain string) bool {
	k := 0
	for k < len(domain) && digit(domain[k]) {
		k++
	}
	major := k
	for k++; k < len(domain) && digit(domain[k]); {
		k++
	}
	return major > 0 && domain[major] == '.' && k > major+1 && findByteAt(domain, k) == '.'
}

// inUserinfo reports whether what begins at from is the password in the authority of a URL, "https://user:password@host", or the user of
// a protocol for machines, "ssh://git@host". Such a user of a web page may be a person's address.
func inUserinfo(s *scan, from int) bool {
	t, low := s.v.s, s.v.stepBack(from, keyedBack)
	k, colon := from, false
	for ; k > low && (alnum(t[k-1]) || within(t[k-1], ".-_~%!$&*+=:")); k-- {
		colon = colon || t[k-1] == ':'
	}
	if k < low+3 || t[k-1] != '/' || t[k-2] != '/' || t[k-3] != ':' {
		return false
	}
	scheme := strings.ToLower(t[findSchemeStart(t, k-3) : k-3])
	if colon {
		return !inSet(mailSchemes, scheme)
	}
	for _, w := range [...]string{"ssh", "git", "svn", "ftp", "rsync", "scp"} {
		if strings.Contains(scheme, w) {
			return true
		}
	}
	return false
}

// mailSchemes are those of URLs that name a person behind a ':'.
var mailSchemes = buildSet("mailto", "sip", "sips", "xmpp", "im", "acct")
