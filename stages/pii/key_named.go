package pii

import "strings"

// betweenNames are the bytes that may stand between a name and its separator.
var betweenNames = [256]bool{' ': true, '\t': true, '.': true, '?': true, '\'': true, '"': true, '`': true, ']': true, '\\': true}

// keyedBack is how far before the separator its name may begin, in raw bytes.
const keyedBack = 80

// A pairing is what keyed read at a place.
type pairing struct {
	at       int
	kind     nameKind
	from, to int
	indented bool // the name does not begin its line
	folder   bool // the name is PWD, which shells give to the folder at hand
}

// findNamedValue reads "name = value" around the ':', '=', '"' or '>' at i, and answers
// what the name says and where the value lies.
func (s *scan) findNamedValue(i int) (kind nameKind, from, to int) {
	if s.pair.at != i {
		kind, from, to = s.readNamedValue(i)
		s.pair.at, s.pair.kind, s.pair.from, s.pair.to = i, kind, from, to
	}
	return s.pair.kind, s.pair.from, s.pair.to
}

func (s *scan) readNamedValue(i int) (kind nameKind, from, to int) {
	t := s.v.s
	kind, a, end := readName(s, i)
	if kind == nameless {
		return 0, 0, 0
	}
	s.pair.indented, s.pair.folder = a > 0 && t[a-1] != '\n', namesFolder(t[a:end])
	from = findValueStart(t, i)
	s.noteLookAhead(i, from+1)
	if from >= len(t) {
		return 0, 0, 0
	}
	if from == i+2 && a > 0 && isQuoted(t, from) && t[a-1] == t[from-1] && i == end {
		return 0, 0, 0 // the quote ends a string: "password=" + x
	}
	if (t[i] == '"' || t[i] == '\'') && !isQuoted(t, from) {
		return 0, 0, 0 // the next argument is an expression
	}
	if kind == namesAuthorization {
		from = s.skipScheme(i, from)
	}
	to = findValueEnd(t, from)
	s.noteLookAhead(i, to+2)
	if findByteAt(t, to) == '\\' {
		s.noteLookAhead(i, to+escapeMax+1)
	}
	if to = cutAtEscape(t, from, to, valueMax); to-from > valueMax {
		return 0, 0, 0
	}
	return kind, from, cutParameter(t, kind, a, i, from, to)
}

// namesFolder reports whether a name is that of the folder at hand or of the one before, as shells have them.
func namesFolder(name string) bool {
	return len(name) == len("PWD") && hasFold(name, 0, "pwd") || name == "OLDPWD"
}

// selectsInput reports whether t[from:end] is the kind of a field in a selector of CSS: `input[type=password]:-moz-placeholder`.
func selectsInput(t string, from, end int) bool {
	if isOneOf(t[from-1], "\"'") && from > 1 && findByteAt(t, end) == t[from-1] {
		from, end = from-1, end+1
	}
	return t[from-1] == '=' && findByteAt(t, end) == ']'
}

// namesPublicValue reports whether t[from:end], before the separator at i, is the token of an asset of Solana, as CAIP-19 writes it,
// "solana:5eykt4Us.../token:EPjF...", or the signature of a message.
func namesPublicValue(s *scan, i, from, end int) bool {
	t := s.v.s
	if t[from:end] != "token" || t[i] != ':' || findByteBefore(t, from) != '/' {
		return strings.HasPrefix(t[from:end], "sig") && isByteSequence(s, i)
	}
	low, chain := s.v.stepBack(i, keyedBack), from-1
	for chain > low && isAlnum(t[chain-1]) {
		chain--
	}
	return strings.HasSuffix(t[low:max(low, chain)], "solana:")
}

// isByteSequence reports whether what follows the '=' at i is a byte sequence of a structured field (RFC 8941, 3.3.5), which is how
// signatures of messages are written (RFC 9421): "sig1=:LAH8BjcfcOcLojiuOBFWn0P5keD3xAOuJRGziCLuD8r5MW9S0...=:".
func isByteSequence(s *scan, i int) bool {
	t := s.v.s
	s.noteLookAhead(i, i+2)
	return t[i] == '=' && findByteAt(t, i+1) == ':' && isAlnum(findByteAt(t, i+2))
}

// readName returns what the name before the separator at i says, and its span; nameless if there is no name or it has no value.
func readName(s *scan, i int) (kind nameKind, from, end int) {
	t := s.v.s
	if !separatesName(t, i) {
		return nameless, 0, 0
	}
	from, end = s.findNameBefore(i)
	if from == end {
		return nameless, 0, 0
	}
	if from > 0 && selectsInput(t, from, end) || namesPublicValue(s, i, from, end) {
		return nameless, 0, 0
	}
	if t[i] == '>' && from > 0 && standsForValue(s, i, from, end) {
		return nameless, 0, 0
	}
	if kind = classifyName(t[from:end]); (kind == namesSomeKey || kind == namesKey) && from > 1 && t[from-2:from] == "::" {
		return nameless, 0, 0
	}
	if kind == namesSomeKey && t[from:end] == "sig" && !signsURL(t, end) || namesHost(t, from, end) {
		return nameless, 0, 0
	}
	if from > 0 && t[i] == ':' && (t[from-1] == '$' || t[from-1] == ':' && (isWordByte(findByteAt(t, i+1)) || namesResource(s, i, from))) {
		return nameless, 0, 0 // $PWD:/folder; user:password:id; type:Password::name
	}
	if kind == namesSomeKey && followsPublic(s, i, from) {
		return nameless, 0, 0
	}
	return kind, from, end
}

// separatesName reports whether the byte at i can separate a name from its value.
func separatesName(t string, i int) bool {
	before := byte(0)
	if i > 0 {
		before = t[i-1]
	}
	switch t[i] {
	case '\'':
		return (i+1 == len(t) || t[i+1] == ',') && definesConstant(t, i)
	case '"': // setProperty("NAME", "value")
		return (i+1 == len(t) || t[i+1] == ',') && isWordByte(before)
	case '>': // <name>value, and "name" => value, whose '=' is the separator; not `echo "X=$PASSWORD" >> file`
		return before != '=' && findByteAt(t, i+1) != '>' && !(before == ' ' && findByteAt(t, i+1) == ' ')
	}
	return before != ':' && before != '=' // the first of several is the separator
}

// findNameBefore returns the span of the name before the separator at i; it is empty if there
// is none or it cannot be one that classifyName knows.
func (s *scan) findNameBefore(i int) (from, end int) {
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	end = i
	for n := 0; end > low && n < 6 && betweenNames[t[end-1]]; n++ {
		end--
	}
	if end < 2 || !mayEndName(t[end-2], t[end-1]) {
		return 0, 0
	}
	from = end
	for from > low && (isWordByte(t[from-1]) || t[from-1] == '-' || t[from-1] == '.') {
		from--
	}
	if end-from == len("value") && hasFold(t, from, "value") && t[i] != '"' {
		return findNameOfPair(t, low, from)
	}
	if w := t[from:end]; (w == "string" || w == "str" || w == "String") && from-1 > low && t[from-1] == ' ' { // the type behind the name
		end = from - 1
		for from = end; from > low && isWordByte(t[from-1]); {
			from--
		}
	}
	if from == low && low > 0 || t[i] == '"' && (from < low+2 || t[from-2] != '(') {
		return 0, 0
	}
	return from, end
}

// findNameOfPair returns the span of the name of a pair whose value is called "value" at i: `key="Password" value="x"`,
// `{"name": "DB_PASSWORD", "value": "x"}`, and the same in two lines of YAML.
func findNameOfPair(t string, low, i int) (from, end int) {
	end = i
	for end > low && i-end < 40 && isOneOf(t[end-1], "\"', \t\n\r") {
		end--
	}
	for from = end; from > low && isWordByte(t[from-1]); {
		from--
	}
	k := from
	for k > low && from-k < 5 && isOneOf(t[k-1], "\"'=: ") {
		k--
	}
	if end == i || from == low || !(k >= 4 && hasFold(t, k-4, "name") || k >= 3 && hasFold(t, k-3, "key")) {
		return 0, 0
	}
	return from, end
}

// mayEndName reports whether two bytes can end a name that classifyName knows, the type "string" or "str" behind one, or "value".
func mayEndName(a, b byte) bool {
	return !isLetterByte(a) || !isLetterByte(b) || nameEnds[a&31][b&31] != 0 || b|0x20 == 'g' || b == 'r' || b|0x20 == 'e' && a|0x20 == 'u'
}

// definesConstant reports whether the quote at i ends the first argument of the function "define" of PHP.
func definesConstant(t string, i int) bool {
	k := i
	for k > 0 && i-k < 40 && isWordByte(t[k-1]) {
		k--
	}
	if k == i || k < 8 || t[k-1] != '\'' {
		return false
	}
	if k--; t[k-1] == ' ' {
		k--
	}
	return k >= 7 && t[k-7:k] == "define("
}

// valueMax bounds a value that is known by its name.
const valueMax = 300

// findValueStart returns where the value behind the separator at i begins.
func findValueStart(t string, i int) int {
	c, j := t[i], i+1
	if c == '"' || c == '\'' {
		j++ // the ','
	}
	for j < len(t) && j-i < 6 && (t[j] == '=' || t[j] == ':' || t[j] == '>' || t[j] == '~') {
		j++
	}
	for n := 0; j < len(t) && n < 10 && (t[j] == ' ' || t[j] == '\t' || c == '>' && t[j] == '\n'); n++ {
		j++
	}
	for n := 0; j < len(t) && n < 5 && (t[j] == '"' || t[j] == '\'' || t[j] == '`' || t[j] == '\\' && escapesQuote(t, j)); n++ {
		j++
	}
	return j
}

// escapesQuote reports whether the backslash at j, or up to three of them, precede a quote.
func escapesQuote(t string, j int) bool {
	k := j
	for k < len(t) && k-j < 3 && t[k] == '\\' {
		k++
	}
	return k < len(t) && (t[k] == '"' || t[k] == '\'')
}

// skipScheme skips the scheme of an Authorization header (RFC 9110, 11.4).
func (s *scan) skipScheme(i, from int) int {
	t := s.v.s
	for _, w := range [...]string{"bearer ", "basic ", "token token=", "token ", "apikey ", "bot ", "ssws "} {
		if hasFold(t, from, w) {
			return from + len(w)
		}
		if len(t)-from < len(w) {
			s.noteLookAhead(i, len(t)+1)
		}
	}
	return from
}

// findValueEnd returns where a value ends: at a quote, a bracket, a space. What is escaped belongs to it.
func findValueEnd(t string, from int) int {
	j := from
	for j < len(t) && j-from <= valueMax {
		switch t[j] {
		case ' ', '\t', '\n', '\r', '"', '\'', '`', '<', '>', ',', ';', ')', '}', ']', gap:
			return j
		case '\\':
			k := skipEscape(t, from, j)
			if k == j {
				return j
			}
			j = k
			continue
		case '|':
			if j == from || !isDigitByte(t[j-1]) || j-from < 14 {
				return j
			}
		}
		j++
	}
	return j
}
