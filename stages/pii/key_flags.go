package pii

import "strings"

// flagMax bounds the name of a flag, with its dashes.
const flagMax = 28

// flagValueMax bounds the value of a flag, and shortFlagMax that of one with one letter.
const (
	flagValueMax = 160
	shortFlagMax = 64
)

// findFlagKey recognises the value of a flag of a command whose name says that a key follows, behind a space: "--api-key q8Zr...".
// i is its second dash. One with '=' has a name before a separator.
func findFlagKey(s *scan, i int) (int, int, float32) {
	from, to, kind := findFlagValue(s, i)
	if to = findFirstEscape(s.v.s, from, to); kind != namesKey || to-from < namedKeyMin {
		return 0, 0, 0
	}
	if v := s.v.s[from:to]; isBootstrapToken(v) || looksLikeSecret(v) && !standsForSecret(v) && !looksLikeName(v) &&
		!namesOther(s.v.s, to, v, isQuoted(s.v.s, from)) {
		return from, to, 0.75
	}
	return 0, 0, 0
}

// findFlagPassword is findFlagKey for passwords, which have a digit or a mark.
func findFlagPassword(s *scan, i int) (int, int, float32) {
	from, to, kind := findFlagValue(s, i)
	if kind != namesPassword {
		return 0, 0, 0
	}
	return findRandomPassword(s, from, to)
}

// findRandomPassword recognises the password t[from:to] of a flag and otherwise what precedes its first escape.
func findRandomPassword(s *scan, from, to int) (int, int, float32) {
	for _, end := range listReadings(s.v.s, from, to) {
		v := s.v.s[from:end]
		if len(v) >= 6 && !standsForSecret(v) && !namesItself(v) && looksRandom(strings.ReplaceAll(v, `\`, "")) {
			return from, end, 0.7
		}
	}
	return 0, 0, 0
}

// findFlagValue returns the value of the flag whose second dash is at i, and what its name says.
func findFlagValue(s *scan, i int) (from, to int, kind nameKind) {
	t := s.v.s
	j := i + 1
	for j < len(t) && j-i < flagMax && (isLetterByte(t[j]) || t[j] == '-') {
		j++
	}
	if i == 0 || t[i-1] != '-' {
		return 0, 0, nameless
	}
	s.noteLookAhead(i-1, j+2)
	if i > 1 && (isWordByte(t[i-2]) || t[i-2] == '-') || j+1 >= len(t) || t[j] != ' ' || j-i < 4 {
		return 0, 0, nameless
	}
	if kind = classifyName(t[i+1 : j]); kind != namesKey && kind != namesPassword {
		return 0, 0, nameless
	}
	from = j + 1
	if isOneOf(t[from], "\"'") {
		from++
	}
	to = findValueEnd(t, from)
	s.noteLookAhead(i-1, to+2)
	if to = cutAtEscape(t, from, to, flagValueMax); to-from > flagValueMax || from >= len(t) || isOneOf(t[from], "-<$[{%") {
		return 0, 0, nameless
	}
	for to > from && isOneOf(t[to-1], ".:") {
		to--
	}
	return from, to, kind
}

// isBootstrapToken reports whether v is a token with which a node joins a cluster of Kubernetes: six characters, a point, sixteen.
func isBootstrapToken(v string) bool {
	if len(v) != 23 || v[6] != '.' || isFilled(v) {
		return false
	}
	for i := range len(v) {
		if i != 6 && !(isDigitByte(v[i]) || isLetterByte(v[i]) && !isUpper(v[i])) {
			return false
		}
	}
	return true
}

// looksRandom reports whether v is neither a word nor a name: it has a digit beside letters, or two marks, and nothing of an expression.
func looksRandom(v string) bool {
	if n, _ := countKey(v); n.turns >= 3 && n.letters >= 12 && computeEntropy(v) >= 3.3 && !looksLikeName(v) {
		return true
	}
	digits, letters, marks := 0, 0, 0
	for i := range len(v) {
		switch c := v[i]; {
		case isDigitByte(c):
			digits++
		case isLetterByte(c) || c >= 0x80:
			letters++
		case isOneOf(c, "(){}[]/\\$<>"):
			return false
		default:
			marks++
		}
	}
	return digits > 0 && letters > 0 && !looksLikeName(v) || letters > 0 && marks > 0 && !looksLikePath(v)
}

// shortFlags are commands that read a password behind "-p", or glued to it.
var shortFlags = [...]struct {
	command string
	glued   bool
}{{"sshpass", false}, {"sshpass", true}, {"docker login", false}, {"podman login", false}, {"mysql", true}, {"mysqldump", true}}

// findShortFlag recognises the password behind the "-p" at i of a command of shortFlags.
func findShortFlag(s *scan, i int) (int, int, float32) {
	t, low := s.v.s, s.v.stepBack(i, lookBack)
	if findByteBefore(t, i) != ' ' || i+1 < len(t) && t[i+1] != 'p' {
		return 0, 0, 0
	}
	if i+2 >= len(t) {
		s.noteLookAhead(i, len(t)+1)
		return 0, 0, 0
	}
	from, glued := i+2, true
	if t[from] == ' ' {
		from, glued = from+1, false
	}
	if from < len(t) && isOneOf(t[from], "\"'") {
		from++
	}
	to := findValueEnd(t, from)
	s.noteLookAhead(i, to+2)
	if to = cutAtEscape(t, from, to, shortFlagMax); to-from > shortFlagMax || !followsCommand(t, low, i, glued) {
		return 0, 0, 0
	}
	return findRandomPassword(s, from, to)
}

// followsCommand reports whether a command of shortFlags stands in the line before the flag at i.
func followsCommand(t string, low, i int, glued bool) bool {
	k := i
	for k > low && t[k-1] != '\n' {
		k--
	}
	for ; k < i; k++ {
		if k > low && isWordByte(t[k-1]) {
			continue
		}
		for _, f := range shortFlags {
			if f.glued == glued && hasFold(t[:i], k, f.command+" ") {
				return true
			}
		}
	}
	return false
}
