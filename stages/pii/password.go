package pii

import (
	"slices"
	"strings"
)

// findUsername recognises what follows the name of a user name.
func findUsername(s *scan, i int) (int, int, float32) {
	t := s.v.s
	kind, from, to := s.findNamedValue(i)
	if kind != namesUser {
		return 0, 0, 0
	}
	to = findFirstEscape(t, from, to)
	for to > from && isOneOf(t[to-1], ".,:") {
		to--
	}
	if to-from < 3 || to-from > 32 || !isLetterByte(t[from]) && t[from] < 0x80 || isPlaceholderWord(t[from:to]) ||
		countTrailingDigits(t[from:to]) > 8 {
		return 0, 0, 0
	}
	for k := from; k < to; k++ {
		if keySet[t[k]]>>dots&1 == 0 && t[k] < 0x80 {
			return 0, 0, 0
		}
	}
	return from, to, 0.6
}

// passwordMax is the length of the longest password that is known by its name, and spokenMax that of one in a sentence.
const (
	passwordMax = 128
	spokenMax   = 64
)

// findPassword recognises what follows the name of a password: the whole value, or otherwise what precedes its first escape.
func findPassword(s *scan, i int) (int, int, float32) {
	t := s.v.s
	kind, from, to := s.findNamedValue(i)
	if to = cutAtEscape(t, from, to, passwordMax); kind != namesPassword || to-from > passwordMax {
		return 0, 0, 0
	}
	quoted := isQuoted(t, from)
	if quoted && findByteAt(t, to) != t[from-1] {
		if end := findSpacedPassword(s, i, from); end > 0 {
			return from, end, 0.8
		}
		if saysWhatIsWrong(s, i, from) {
			return 0, 0, 0
		}
	}
	for _, to := range listReadings(t, from, to) {
		for !quoted && to > from && (t[to-1] == '.' || t[to-1] == ',') {
			to--
		}
		if to-from >= 4 && !excludesPassword(s, i, from, to, quoted) && !isCodeForPassword(s, i, from, to, quoted) {
			return from, to, 0.8
		}
	}
	return 0, 0, 0
}

// excludesPassword reports whether the value behind the name of a password is a word about it, a constant or a command.
func excludesPassword(s *scan, i, from, to int, quoted bool) bool {
	t, v := s.v.s, s.v.s[from:to]
	switch {
	case namesSharedKey(s, i) && (len(v) < sharedKeyMin || isBehindCipher(s, i, v)), v == "x-oauth-basic":
		return true // the second is what GitHub takes for the password of a user whose name is a token
	case standsForSecret(v), strings.HasSuffix(v, "."), namesItself(v), callsFunction(v), repeatsItsName(s, i, v),
		namesConstantOfSecret(v), pairsFlags(s, i, v), standsInAuthority(s, i):
		return true
	case !quoted && isRegexp(v), isSystemPath(v), numbersError(s, i, to, v):
		return true
	case selectsNodes(v), encryptsWith(v), repeatsEvent(s, i, v), logsResource(s, i, from, v),
		annotates(s, i, to, quoted), pointsToSetting(s, i, v):
		return true
	case strings.HasPrefix(v, "FILE") && strings.Trim(v[4:], digits09) == "" && len(v) < 6, isPathOfSecret(v):
		return true // the first is one of several files of which a program takes passwords
	case runsFolder(t, i, s.pair.folder), s.pair.folder && isOneOf(v[0], "/.~\\"), namesError(t, i):
		return true
	case labelsPassword(s, i, from, quoted):
		return true
	case quoted:
		return promptsFor(t, from)
	}
	return namesEncoding(t, to, v) || isConstant(t, i, v) || isInSet(statementWords, v) || describes(t, i, v) || selectsCiphers(v)
}

// isCodeForPassword reports whether the value behind the name of a password is an expression or the rest of one.
func isCodeForPassword(s *scan, i, from, to int, quoted bool) bool {
	t, v := s.v.s, s.v.s[from:to]
	if v == "range" && strings.HasPrefix(t[i:], ":=") {
		return true // a statement of Go
	}
	if t[i] == '>' {
		s.noteLookAhead(i, to+closingMax)
	}
	if standsBehindCode(t, i, to, v) || t[i] == '"' && classifyName(v) != nameless && isIdentifierPath(v) && isDigitless(v) {
		return true
	}
	if quoted { // the quote may end a string: "wrong password: "+e.message
		name := strings.TrimSuffix(v, "(")
		return v[0] == '+' && len(v) > 4 && isIdentifierPath(name[1:]) && isDigitless(v)
	}
	if readsMember(s, i, to, v) {
		return true
	}
	return strings.ContainsAny(v, "()") || standsForArgument(t, i, v) || isExpression(t, i, v, findByteAt(t, to), s.pair.indented)
}

// isRegexp reports whether v is a regular expression between slashes: "/.+/i".
func isRegexp(v string) bool {
	end := strings.LastIndexByte(v, '/')
	return v[0] == '/' && end > 1 && strings.Trim(v[end+1:], "gimsuyv") == "" && strings.ContainsAny(v[1:end], `.+*\[^$|`)
}

// runsFolder reports whether the name before the quote at i is the command PWD as an argument: run("pwd", "lpwd").
func runsFolder(t string, i int, folder bool) bool { return folder && t[i] == '"' }

// sharedKeyMin is the length of the shortest passphrase of a WLAN (IEEE 802.11, annex M.4).
const sharedKeyMin = 8

// namesSharedKey reports whether the name before the separator at i ends in PSK: a key that is shared before.
func namesSharedKey(s *scan, i int) bool {
	_, end := s.findNameBefore(i)
	for end > 0 && (isDigitByte(s.v.s[end-1]) || s.v.s[end-1] == '_') {
		end--
	}
	return end > 2 && hasFold(s.v.s, end-3, "psk")
}

// statementWords begin a statement behind the case of a switch: `case"password":return check(v)`.
var statementWords = buildSet("return", "throw", "break", "continue", "void", "delete", "typeof", "yield")

// repeatsItsName reports whether v is the name before the separator at i: `const defaultPwd = "defaultPwd"`.
func repeatsItsName(s *scan, i int, v string) bool {
	a, end := s.findNameBefore(i)
	if labelsField(s.v.s[a:end], v) {
		return true
	}
	return end-a == len(v) && s.v.s[a:end] == v && strings.ToLower(v) != v
}

// describes reports whether a plain word follows a colon and a space: "password: the one that ...".
func describes(t string, i int, v string) bool {
	if t[i] != ':' || i+1 >= len(t) || t[i+1] != ' ' {
		return false
	}
	head, tail, _ := strings.Cut(v, "-")
	return isPlainWord(v) || len(head) > 1 && endsAttribute(tail) && isPlainWord(head) && isPlainWord(tail) && isFollowedByWord(t, i+2+len(v))
}

// endsAttribute reports whether a word ends one that describes, as "one-time" and "base-encoded": two words joined by a hyphen are also
// what people choose as a password.
func endsAttribute(tail string) bool {
	for _, end := range [...]string{
		"ed", "ing", "able", "time", "text", "only", "case", "free", "empty", "string", "based", "like", "specific", "length",
	} {
		if strings.HasSuffix(tail, end) {
			return true
		}
	}
	return false
}

// isFollowedByWord reports whether a space and a small letter stand at i: the description goes on.
func isFollowedByWord(t string, i int) bool {
	return findByteAt(t, i) == ' ' && i+1 < len(t) && isLetterByte(t[i+1]) && !isUpper(t[i+1])
}

// isConstant reports whether the value v behind the separator at i is the number of a constant: up to eight hexadecimal digits, or four
// digits with spaces around the '='.
func isConstant(t string, i int, v string) bool {
	if len(v) <= 10 && hasFold(v, 0, "0x") {
		return strings.Trim(v[2:], "0123456789abcdefABCDEF") == ""
	}
	return len(v) <= 4 && strings.Trim(v, digits09) == "" && t[i] == '=' && findByteBefore(t, i) == ' '
}

// findByteAt returns the byte at i, 0 behind the end.
func findByteAt(t string, i int) byte {
	if i < len(t) {
		return t[i]
	}
	return 0
}

// namesItself reports whether a value is words of which one is the name of a password, as in "correct-password".
func namesItself(v string) bool {
	if strings.HasSuffix("password", v) {
		return true // what a program waits for, "ssword:"
	}
	path := v[0] == '/'
	for i := range len(v) {
		if isDigitByte(v[i]) && !(path && findByteBefore(v, i) == 'v') { // "/v1/accounts:resetPassword"
			return false
		}
		for _, w := range [...]string{"password", "passwd", "passphrase"} {
			if hasFold(v, i, w) {
				return true
			}
		}
	}
	return false
}

// callsFunction reports whether v is the call of a function with a name of several words: "lookup_json_string(http.body".
func callsFunction(v string) bool {
	name, arguments, ok := strings.Cut(v, "(")
	return ok && (arguments == "" || isLetterByte(arguments[0])) && strings.Count(name, "_")+strings.Count(name, ".") > 1 &&
		looksLikeName(name)
}

// standsBehindCode reports whether the value v behind the separator at i, which ends at to, is the member of a structure in C, a
// host behind "<user>:<password>", a role of reStructuredText, or what a shell redirects /etc/passwd to.
func standsBehindCode(t string, i, to int, v string) bool {
	if t[i] == '>' && i > 0 && t[i-1] == '-' && isMember(v) {
		return true
	}
	if t[i] == '>' && findByteAt(t, i+1) == ' ' && isPlainWord(v) && !isBeforeClosingTag(t, to) {
		return true // the next word of a manual: "PASS <password> during"
	}
	if t[i] == '>' && v[0] == '@' && followsUser(t, i) && !strings.HasPrefix(t[to:], "</") {
		return true
	}
	if i > 6 && t[i] == ':' && isOneOf(t[i-7], "\"'") && hasFold(t, i-6, "passwd") && findByteAt(t, i+1+len(v)) == t[i-7] && isPlainWord(v) {
		return true // "passwd:name", a database and its field
	}
	return v[0] == ':' && strings.HasSuffix(v, ":") && findByteAt(t, to) == '`' || hasFold(t, max(0, i-12), "/etc/passwd")
}

// closingMax bounds the beginning of a closing tag, with spaces before it.
const closingMax = 4

// isBeforeClosingTag reports whether a closing tag begins at i, or behind up to two spaces: "<Password> swordfish </Password>".
func isBeforeClosingTag(t string, i int) bool {
	return strings.HasPrefix(strings.TrimLeft(t[i:min(len(t), i+closingMax)], " "), "</")
}

// namesError reports whether the name before the separator at i is that of an error, as in "ERR_INVALID_PASSWORD".
func namesError(t string, i int) bool {
	for i > 0 && isOneOf(t[i-1], " \t") {
		i--
	}
	for _, name := range [...]string{"invalid_password", "invalidpassword", "wrong_password", "wrongpassword", "bad_password"} {
		if j := i - len(name); j >= 0 && hasFold(t, j, name) {
			return true
		}
	}
	return false
}

// promptsFor reports whether the quoted text at i is several words of which one is the name of a password: a label, a message.
func promptsFor(t string, i int) bool {
	end := i
	for end < len(t) && end-i < 80 && t[end] != t[i-1] && t[end] != '\n' {
		end++
	}
	return strings.Contains(t[i:end], " ") && namesItself(strings.TrimRight(t[i:end], " 0123456789"))
}

// followsUser reports whether a colon precedes the tag that ends at i, as in "<user>:<password>@host".
func followsUser(t string, i int) bool {
	k := i
	for k > 0 && i-k < keyedBack && t[k] != '<' {
		k--
	}
	return k > 0 && t[k] == '<' && t[k-1] == ':'
}

// standsForArgument reports whether v stands for the argument of a long option in a manual: "--passwd=FILE".
func standsForArgument(t string, i int, v string) bool {
	k := i
	for k > 0 && i-k < keyedBack && (isWordByte(t[k-1]) || isOneOf(t[k-1], "-\\")) {
		k--
	}
	name := t[k:i]
	if len(name) > 3 && name[0] == '\\' && name[1] == 'f' { // troff: the option in another font
		name = name[3:]
	}
	option := strings.HasPrefix(name, "--") || strings.HasPrefix(name, `\-\-`)
	return t[i] == '=' && option && slices.Contains(argumentNames, v)
}

// argumentNames are what manuals write for the argument of an option.
var argumentNames = strings.Fields("FILE FILENAME PATH DIR STRING TEXT WORD VALUE NAME USER PROMPT COMMAND FICHIER DATEI ARCHIVO FICHERO ARQUIVO PLIK ФАЙЛ")

// isPlainWord reports whether v is one word in one case.
func isPlainWord(v string) bool {
	for i := range len(v) {
		if !isLetterByte(v[i]) && v[i] < 0x80 || i > 0 && isUpper(v[i]) && !isUpper(v[0]) {
			return false
		}
	}
	return true
}
