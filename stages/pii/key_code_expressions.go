package pii

import (
	"strings"
)

// isExpression reports whether the text v, which stands without quotes behind the separator at i, is an expression or a
// type. next follows it, and indented says that the name does not begin its line.
func isExpression(t string, i int, v string, next byte, indented bool) bool {
	if opensCall(v) || closesCode(next) && isPasswordVariable(t, i, v, next) {
		return true
	}
	if i+1 < len(t) && t[i+1] == ' ' && strings.HasSuffix(v, "=") && isIdentifierPath(strings.TrimRight(v, "=")) && len(v) < 24 {
		return true // the next name: there is no value
	}
	if !isIdentifierPath(v) {
		return false
	}
	if head, _, ok := strings.Cut(v, "."); ok && (head == "self" || head == "this" || head == "cls") || isMemberOfModule(v) {
		return true
	}
	return isExpressionOfNames(t, i, v, next, indented)
}

// isMemberOfModule reports whether v is a name with a capital in a module with a short name, as compilers number them: "i0.Renderer2".
func isMemberOfModule(v string) bool {
	module, name, _ := strings.Cut(v, ".")
	if len(module) > 3 || name == "" || !isUpper(name[0]) || countTrailingDigits(name) > 2 {
		return false
	}
	name = name[:len(name)-countTrailingDigits(name)]
	return len(name) > 3 && isDigitless(name) && looksLikeName(name)
}

// isPasswordVariable reports whether v is a variable whose name ends as that of a password does. Passwords of people do so too, with a
// digit or a mark, and in a connection string nothing is around the '=' before it: "Password=NewDbPwd1;".
func isPasswordVariable(t string, i int, v string, next byte) bool {
	if classifyName(v) != namesPassword || !isIdentifierPath(v) || !isDigitless(v) && (isUpper(v[0]) || countTrailingDigits(v) > 0) {
		return false
	}
	return next != ';' || t[i] != '=' || findByteAt(t, i+1) == ' '
}

// isDigitless reports whether v has no digit.
func isDigitless(v string) bool { return !strings.ContainsAny(v, digits09) }

// isExpressionOfNames reports whether v, a name or names joined by dots, is an expression or a type.
func isExpressionOfNames(t string, i int, v string, next byte, indented bool) bool {
	n, _ := countKey(v)
	compound := n.turns > 0 || strings.ContainsAny(v, "._$:->")
	spaced := i > 0 && t[i-1] == ' ' || i+1 < len(t) && (t[i+1] == ' ' || t[i+1] == '=')
	switch {
	case strings.Contains(v, ".") && looksLikeName(v):
		return true
	case n.digits > 0 && !(compound && looksLikeName(v)):
		return false
	case closesCode(next) && next != ';' || next == '(':
		return true
	case t[i] == '=' && spaced, t[i] == ':' && compound:
		return compound || indented || next == ' ' || next == ';' || i > 0 && t[i-1] == ':'
	}
	return compound && spaced
}

// opensCall reports whether v begins as a call, a subscript or a literal of a list.
func opensCall(v string) bool {
	k := 0
	for k < len(v) && (isWordByte(v[k]) || v[k] == '.' || v[k] == '$') {
		k++
	}
	if k > 0 && (isOneOf(v[0], "$_") || k < len(v) && v[k] != '(' && isMixed(v[:k])) && !isDigitless(v[:k]) && !looksLikeName(v[:k]) {
		return false // "$ecr3t[9!Kx", "Zx9$kQ2{pLr8vT"
	}
	return k > 0 && k < len(v) && isOneOf(v[k], "([{") && !isDigitByte(v[0]) || isOneOf(v[0], "[{&*(")
}

// isMixed reports whether v has five characters or more, of which some are capitals, small letters and digits.
func isMixed(v string) bool {
	return len(v) >= 5 && strings.ContainsAny(v, lettersAZ) && strings.ToUpper(v) != v && !isDigitless(v)
}

// standsForSecret reports whether a value stands for a secret in a manual or a test, or is something else that is written
// where a secret would be: a version, a format, an ARN, the address of a page.
func standsForSecret(v string) bool {
	if isPlaceholderWord(v) || standsForType(v) || isVersion(v) || isEntryPoint(v) || isRate(v) {
		return true
	}
	if isBracketedWord(v) || isCutHash(v) || describesItself(v) {
		return true
	}
	if holdsVariable(v) || strings.HasPrefix(v, "%7B") && strings.Contains(v, "%7D") ||
		strings.HasPrefix(v, "urn:") && strings.Count(v, ":") > 1 || isRepetition(v) {
		return true
	}
	if verb := v[max(0, len(v)-2):]; (verb == "%d" || verb == "%s" || verb == "%v") && isWordOfLetters(v[:len(v)-2]) {
		return true // a format
	}
	if asksForOwn(v) || isGridClass(v) || strings.Contains(v, "EXAMPLE") || namesExample(v) || strings.HasPrefix(v, "{{") ||
		strings.HasPrefix(v, "arn:") || strings.Contains(v, "://") || isSequential(v) || hasOnlyVerbs(v) {
		return true
	}
	if isOneOf(v[0], "^~>=<") && strings.Trim(v[1:], "=0123456789.x*-") == "" {
		return true // a range of versions
	}
	return false
}

// isGridClass reports whether v is the class of a column in a grid of CSS: "col-md-4".
func isGridClass(v string) bool {
	rest, ok := strings.CutPrefix(v, "col-")
	size, columns, _ := strings.Cut(rest, "-")
	return ok && isInSet(gridSizes, size) && len(columns) < 3 && strings.Trim(columns, digits09) == ""
}

var gridSizes = buildSet("xs", "sm", "md", "lg", "xl", "xxl")

// holdsVariable reports whether v holds the variable of a template or of a shell: "${NAME}", "${name:-x}". A value may be cut within it.
func holdsVariable(v string) bool {
	_, name, ok := strings.Cut(v, "${")
	if !ok {
		return false
	}
	name, _, closed := strings.Cut(name, "}")
	return closed || isDigitless(name) && isIdentifierPath(name)
}

// standsForType reports whether v is the name of a type of programs, "Uint8Array" or "ed25519.Ed25519PrivateKey", or begins as the call
// of a method of a string that ends before it: `"{}'s password: ".format(user)`.
func standsForType(v string) bool {
	if v[0] == '.' && len(v) > 1 && isLetterByte(v[1]) && strings.Contains(v, "(") {
		return true
	}
	if bits, ok := strings.CutSuffix(v, "Array"); ok && countTrailingDigits(bits) > 0 {
		return true
	}
	return (strings.HasSuffix(v, "PrivateKey") || strings.HasSuffix(v, "PublicKey")) && strings.Contains(v, ".") && isIdentifierPath(v)
}

// isEntryPoint reports whether v names an object in a module of Python, as lists of plugins do: "auth.plugins.identity:Password".
func isEntryPoint(v string) bool {
	module, name, ok := strings.Cut(v, ":")
	points := strings.Count(module, ".")
	if !ok || points == 0 || name == "" || !isIdentifierPath(module) {
		return false
	}
	if points > 2 && isIdentifierPath(name) && isDigitless(v) {
		return true
	}
	if strings.ToLower(module) != module {
		return false
	}
	for i := range len(name) {
		if !isLetterByte(name[i]) && name[i] != '_' {
			return false
		}
	}
	return namesItself(name) // a password may be written like a path too: first.last:Something
}
