package pii

// betweenNames are the bytes that may stand between a name and its separator.
var betweenNames = [256]bool{' ': true, '\t': true, '.': true, '?': true, '\'': true, '"': true, '`': true, ']': true}

// keyedBack is how far before the separator its name may begin, in raw bytes.
const keyedBack = 80

// A pairing is what keyed read at a place.
type pairing struct {
	at       int
	kind     nameKind
	from, to int
}

// keyed reads "name = value" around the ':', '=', '"' or '>' at i, and answers
// what the name says and where the value lies.
func (s *scan) keyed(i int) (kind nameKind, from, to int) {
	if s.pair.at != i {
		kind, from, to = s.readPair(i)
		s.pair = pairing{i, kind, from, to}
	}
	return s.pair.kind, s.pair.from, s.pair.to
}

func (s *scan) readPair(i int) (kind nameKind, from, to int) {
	t := s.v.s
	low := s.v.back(i, keyedBack)
	c := t[i]
	end := i // of the name
	switch c {
	case '"': // setProperty("NAME", "value")
		if i+1 < len(t) && t[i+1] != ',' || i == 0 || !word(t[i-1]) {
			return 0, 0, 0
		}
	case '>': // <name>value, and "name" => value
		if i > 0 && t[i-1] == '=' {
			return 0, 0, 0 // the '=' has it
		}
	default:
		if i > 0 && (t[i-1] == ':' || t[i-1] == '=') {
			return 0, 0, 0 // the first of several has it
		}
	}
	for n := 0; end > low && n < 4 && betweenNames[t[end-1]]; n++ {
		end--
	}
	if end < 2 || letter(t[end-1]) && letter(t[end-2]) && nameEnds[t[end-2]&31][t[end-1]&31] == 0 && !(t[end-1]|0x20 == 'g' || t[end-1] == 'r') {
		return 0, 0, 0 // no name that says anything, nor "string" or "str"
	}
	a := end
	for a > low && (word(t[a-1]) || t[a-1] == '-' || t[a-1] == '.') {
		a--
	}
	if w := t[a:end]; (w == "string" || w == "str" || w == "String") && a-1 > low && t[a-1] == ' ' { // the type behind the name
		end = a - 1
		for a = end; a > low && word(t[a-1]); a-- {
		}
	}
	if a == end || a == low && low > 0 || c == '"' && (a < low+2 || t[a-2] != '(') {
		return 0, 0, 0
	}
	if kind = nameOf(t[a:end]); kind == nameless {
		return 0, 0, 0
	}
	from = s.valueStart(i, c)
	s.ahead(i, from+1)
	if from >= len(t) {
		return 0, 0, 0
	}
	if kind == namesAuthorization {
		from = s.behindScheme(i, from)
	}
	to = s.valueEnd(from)
	s.ahead(i, to+2)
	if to-from > valueMax {
		return 0, 0, 0
	}
	return kind, from, to
}

// valueMax bounds a value that is known by its name.
const valueMax = 300

// valueStart answers where the value behind the separator at i begins.
func (s *scan) valueStart(i int, c byte) int {
	t, j := s.v.s, i+1
	if c == '"' {
		j++ // the ','
	}
	for j < len(t) && j-i < 6 && (t[j] == '=' || t[j] == ':' || t[j] == '>' || t[j] == '~') {
		j++
	}
	for n := 0; j < len(t) && n < 10 && (t[j] == ' ' || t[j] == '\t' || c == '>' && t[j] == '\n'); n++ {
		j++
	}
	for n := 0; j < len(t) && n < 3 && (t[j] == '"' || t[j] == '\'' || t[j] == '`' || t[j] == '\\' && j+1 < len(t) && (t[j+1] == '"' || t[j+1] == '\'')); n++ {
		j++
	}
	return j
}

// behindScheme skips the scheme of an Authorization header (RFC 9110, 11.4).
func (s *scan) behindScheme(i, from int) int {
	t := s.v.s
	for _, w := range [...]string{"bearer ", "basic ", "token ", "apikey ", "bot "} {
		if hasFold(t, from, w) {
			return from + len(w)
		}
		if len(t)-from < len(w) {
			s.ahead(i, len(t)+1)
		}
	}
	return from
}

// valueEnd answers where a value ends: at a quote, a bracket, a space.
func (s *scan) valueEnd(from int) int {
	t, j := s.v.s, from
	for j < len(t) && j-from <= valueMax {
		switch t[j] {
		case ' ', '\t', '\n', '\r', '"', '\'', '`', '<', '>', '\\', ',', ';', ')', '}', ']', gap:
			return j
		case '|':
			if j == from || !digit(t[j-1]) || j-from < 14 {
				return j
			}
		}
		j++
	}
	return j
}
