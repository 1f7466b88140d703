package pii

import "strings"

// userinfoMax bounds what precedes the '@' of a URL.
const userinfoMax = 200

// findURLCredentials recognises a user name with a password in a URL (RFC 3986,
// 3.2.1) or in the address of a database, and the argument of curl's -u. It
// returns the user name and the password.
func findURLCredentials(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i+3 > len(t) {
		if findSchemeStart(t, i) < i {
			s.noteLookAhead(findSchemeStart(t, i), len(t)+1)
		}
		return findCurlUser(s, i)
	}
	if t[i+1] != '/' || t[i+2] != '/' {
		return findCurlUser(s, i)
	}
	if findSchemeStart(t, i) == i {
		return 0, 0, 0
	}
	from, colon := i+3, 0
	for j := from; j <= from+userinfoMax; j++ {
		if j >= len(t) {
			s.noteLookAhead(i, j+1)
			return 0, 0, 0
		}
		switch c := t[j]; c {
		case ':':
			if colon == 0 {
				colon = j
			}
		case '@':
			s.noteLookAhead(i, j+2)
			return judgeUserinfo(t, i, colon, j)
		case ' ', '\n', '\r', '\t', '"', '\'', '<', '>', '`', '\\', '/', '?', '#', '|':
			if c != '#' || colon == 0 {
				return 0, 0, 0
			}
		}
	}
	return 0, 0, 0
}

// judgeUserinfo judges what stands between the "://" of the scheme that ends at i and the '@' at j, with its first ':' at colon, 0 if
// there is none.
func judgeUserinfo(t string, i, colon, j int) (int, int, float32) {
	from := i + len("://")
	if j+1 >= len(t) || !isWordByte(t[j+1]) && !isOneOf(t[j+1], "[${") && t[j+1] < 0x80 {
		return 0, 0, 0
	}
	if colon == 0 {
		return from, j, chooseScore(isTokenOfURL(t[from:j]) && !namesNode(t, i), 0.8, 0)
	}
	user, password := t[from:colon], t[colon+1:j]
	switch {
	case password == "" || isPort(password) && (user == "localhost" ||
		strings.Count(user, ".") == 3 && strings.Trim(user, digits09+".") == "") ||
		password == "x-oauth-basic" && isPlaceholderWord(user):
		return 0, 0, 0
	case standsForSecret(password) || hasFold(t, from, ":pserver:") || hasFold(t, from, ":ext:"): // CVS
		return 0, 0, 0
	case strings.Contains(t[j:min(len(t), j+26)], ".contribsys.com"):
		return 0, 0, 0 // the licence of a package server, which is an API_KEY
	case namesImage(t, i, j) || namesRoles(user, password) || isUpper(t[j+1]) && namesConstants(user, password):
		return 0, 0, 0
	}
	return from, j, 0.95
}

// isPort reports whether v is the number of a port behind a host, before a version or a block: "localhost:1337@8675309".
func isPort(v string) bool { return len(v) < 6 && strings.Trim(v, digits09) == "" }

// namesImage reports whether the tag and the digest of an image stand around the '@' at j, the authority beginning behind i:
// "docker://${NAME}:4-debian@${DIGEST}".
func namesImage(t string, i, j int) bool {
	return t[j+1] == '$' && findSchemeStart(t, i) == i-6 && hasFold(t, i-6, "docker")
}

// namesConstants reports whether a user and a password are both names in capitals of several words, as in manuals:
// "POLICY_NAME:SAS_KEY@NAMESPACE".
func namesConstants(user, password string) bool {
	for _, v := range [...]string{user, password} {
		if !strings.Contains(v, "_") || strings.Trim(v, lettersAZ+"_") != "" {
			return false
		}
	}
	return true
}

// roles are what users of URLs are called before "password" or behind the same words.
var roles = buildSet("user", "username", "login", "userid", "email", "account")

// namesRoles reports whether a user and a password only say what they are, behind the same words: "someuser:somepassword",
// "ldap-user:ldap-pwd", in other languages: "Benutzer:Passwort", or as names of programs: "AccountSid:AuthToken".
func namesRoles(user, password string) bool {
	if namesThing(user) && namesThing(password) && saysWhichSecret(password) {
		return true
	}
	if isInSet(roles, user) && strings.ToLower(password) == password && namesThing(password) && saysWhichSecret(password) {
		return true // "username:access_token"
	}
	user, password = strings.ToLower(user), strings.ToLower(password)
	if labelWords[password] {
		return classifyName(user) == namesUser
	}
	for _, w := range [...]string{"password", "passwd", "passwort", "pass", "pwd"} {
		whose, ok := strings.CutSuffix(password, w)
		if rest, same := strings.CutPrefix(user, whose); ok && same && isInSet(roles, rest) {
			return true
		}
	}
	return false
}

// namesThing reports whether v is the name of something secret or of its owner in several words, without digits: "AuthToken",
// "client_secret", "AppID".
func namesThing(v string) bool {
	if !isDigitless(v) || !isIdentifierPath(v) || strings.Contains(v, ".") {
		return false
	}
	k := findLastWord(v)
	if k == 0 || strings.Contains(v, "_") != (v[k-1] == '_') {
		return false
	}
	last := strings.ToLower(v[k:])
	return isInSet(secretNouns, last) || isInSet(ownerNouns, last)
}

// saysWhichSecret reports whether the word before the last of a name says which secret is meant, as in "AuthToken". Passwords such as
// "TopSecret" and "SuperPass" are words too.
func saysWhichSecret(v string) bool {
	head := strings.TrimSuffix(v[:findLastWord(v)], "_")
	return isInSet(secretKinds, strings.ToLower(head[findLastWord(head):]))
}

// findLastWord returns where the last of several words of a name begins, 0 if there is only one.
func findLastWord(v string) int {
	for k := len(v) - 1; k > 0; k-- {
		if v[k-1] == '_' || isUpper(v[k]) && (!isUpper(v[k-1]) || k+1 < len(v) && isLetterByte(v[k+1]) && !isUpper(v[k+1])) {
			return k
		}
	}
	return 0
}

// ownerNouns end names of those to whom something secret belongs.
var ownerNouns = buildSet("sid", "no", "number", "name", "user", "password", "account", "login", "email", "pass")

// findSchemeStart returns the start of the scheme that ends at i, or i.
func findSchemeStart(t string, i int) int {
	j := i
	for j > 0 && i-j < 24 && (isAlnum(t[j-1]) || t[j-1] == '+' || t[j-1] == '-' || t[j-1] == '.') {
		j--
	}
	for j < i && !isLetterByte(t[j]) {
		j++
	}
	return j
}

// findCurlUser recognises "-u name:password" and "--user name:password".
func findCurlUser(s *scan, i int) (int, int, float32) {
	t := s.v.s
	if i == 0 || !isWordByte(t[i-1]) && t[i-1] != '.' && t[i-1] != '-' {
		return 0, 0, 0
	}
	low := s.v.stepBack(i, tokenBack)
	a := i
	for a > low && (isAlnum(t[a-1]) || strings.IndexByte("._-+@%", t[a-1]) >= 0) {
		a--
	}
	if a == i || !isAlnum(t[a]) || !endsWithUserOption(t[low:a]) {
		return 0, 0, 0
	}
	j := i + 1
	for j < len(t) && j-i < 128 && !isOneOf(t[j], " \n\"'\\`") {
		j++
	}
	s.noteLookAhead(a, j+1)
	if user, v := t[a:i], t[i+1:j]; j-i < 4 || isPlaceholderWord(v) || isPlaceholderWord(user) || namesSubject(t[low:a], user, v) ||
		numbersGroup(user, trimSentence(v)) && (runsContainer(t[low:a]) || user == trimSentence(v) && !strings.Contains(t[low:a], "curl")) {
		return 0, 0, 0
	}
	return a, j, 0.85
}

// trimSentence removes the marks at the end of v with which a sentence goes on or ends.
func trimSentence(v string) string { return strings.TrimRight(v, ",.;:)") }

// numbersGroup reports whether a user and what stands behind its ':' are the numbers of a user and a group.
func numbersGroup(user, group string) bool {
	return len(user) < 6 && len(group) < 6 && strings.Trim(user+group, digits09) == ""
}

// namesSubject reports whether a user and what stands behind its ':' are the name of a part of Kubernetes, of several words and not behind
// curl: "--user=system:kube-proxy".
func namesSubject(before, user, name string) bool {
	return user == "system" && strings.ContainsAny(name, "-:") && strings.Trim(name, "abcdefghijklmnopqrstuvwxyz-:") == "" &&
		!strings.Contains(before, "curl")
}

// runsContainer reports whether the last command of a text, which may have several lines, is that of a container: "docker run --rm
// --user ".
func runsContainer(t string) bool {
	k := strings.LastIndexByte(t, '\n')
	for k > 0 && t[k-1] == '\\' {
		k = strings.LastIndexByte(t[:k], '\n')
	}
	t = t[k+1:]
	for _, w := range [...]string{"docker ", "podman ", "nerdctl "} {
		if k := strings.Index(t, w); k >= 0 && !strings.Contains(t[k:], "curl") {
			return !strings.HasPrefix(t[k+len(w):], "login ") // which has the user of a registry behind the option
		}
	}
	return false
}

// endsWithUserOption reports whether a text ends with curl's option for a user, and a space,
// a '=' or a quote behind it.
func endsWithUserOption(t string) bool {
	b := len(t)
	if b > 0 && (t[b-1] == '"' || t[b-1] == '\'') {
		b--
	}
	for n := 0; b > 0 && n < 2 && (t[b-1] == ' ' || t[b-1] == '='); n++ {
		b--
	}
	return b < len(t) && (strings.HasSuffix(t[:b], " -u") || strings.HasSuffix(t[:b], "--user"))
}
