package placeholder

const (
	maxBlank   = 16 // bytes of blanks between two parts
	maxSlashes = 8  // before a brace: three levels of JSON text in strings
)

// braces are the ways in which an opening and a closing brace are written, in small letters. A pair is of one kind.
type braces struct {
	opening, closing string
	slashes          int // the number of backslashes before it
}

var (
	plainBraces = [...]braces{
		{opening: "{", closing: "}"},
		{opening: "｛", closing: "｝"},
		{opening: "&#123;", closing: "&#125;"},
		{opening: "&#x7b;", closing: "&#x7d;"},
		{opening: "&lbrace;", closing: "&rbrace;"},
		{opening: "&lcub;", closing: "&rcub;"},
		{opening: "%7b", closing: "%7d"},
	}
	escapedBraces = [...]braces{
		{opening: "{", closing: "}"}, // of Markdown
		{opening: "u007b", closing: "u007d"},
	}
)

// readOpening reads one or two opening braces of a kind.
func (r *reader) readOpening() (b braces, n int) {
	if r.peek() == '\\' {
		slashes := r.readBackslashes()
		if slashes == 0 {
			return b, 0
		}
		for _, b = range escapedBraces {
			if r.readLiteral(b.opening) {
				b.slashes = slashes
				return b, r.readSecondBrace(b)
			}
		}
		return b, 0
	}
	for _, b = range plainBraces {
		if r.readLiteral(b.opening) {
			return b, r.readSecondBrace(b)
		}
	}
	return b, 0
}

// readSecondBrace reads the second brace, and gives how many there are.
func (r *reader) readSecondBrace(b braces) int {
	if r.readBrace(b.slashes, b.opening) {
		return 2
	}
	return 1
}

// readBrace reads one brace.
func (r *reader) readBrace(slashes int, form string) bool {
	from := r.at
	for range slashes {
		if r.peek() != '\\' {
			r.at = from
			return false
		}
		r.at++
	}
	if !r.readLiteral(form) {
		r.at = from
		return false
	}
	return true
}

// readBackslashes reads the backslashes that belong to the first brace. In JSON text, and
// in JSON text inside of it, an escape has one, two, four or eight, and those
// before are escapes of their own: to take one of them away would break the text.
func (r *reader) readBackslashes() int {
	before := 0
	for before < 2*maxSlashes && r.at > before && r.text[r.at-before-1] == '\\' {
		before++
	}
	if before == 2*maxSlashes {
		return 0
	}
	n := 0
	for n <= maxSlashes && r.peek() == '\\' {
		r.at++
		n++
	}
	if all := before + n; n > maxSlashes || n != all&-all {
		return 0
	}
	return n
}

// readSeparator reads the separator between the parts. It gives the number of
// underscores in it; a blank alone is as good as one, if braces stand around.
func (r *reader) readSeparator() int {
	from, n := r.at, 0
	for r.at-from < maxBlank {
		if r.readUnderscore() {
			n++
		} else if !r.readBlank() {
			break
		}
	}
	if n == 0 && r.at > from && r.braced {
		r.loose = true
		return 1
	}
	return n
}

func (r *reader) readUnderscore() bool {
	from := r.at
	switch r.peek() {
	case '_':
		r.at++
		return true
	case '&':
		return r.readLiteral("&#95;") || r.readLiteral("&#x5f;") || r.readLiteral("&lowbar;")
	case '%':
		return r.readLiteral("%5f")
	case '\\':
		for r.at-from < maxSlashes && r.peek() == '\\' {
			r.at++
		}
		if r.readLiteral("_") || r.readLiteral("u005f") {
			return true
		}
		r.at = from
	}
	return false
}

func (r *reader) skipBlanks() {
	for from := r.at; r.at-from < maxBlank && r.readBlank(); {
	}
}

// readBlank reads one character that a model may put between the parts: white space,
// what is invisible, and Markdown's marks of emphasis and code.
func (r *reader) readBlank() bool {
	switch r.peek() {
	case ' ', '\t', '\n', '\r', '*', '`':
		r.at++
		return true
	case '&':
		return r.readLiteral("&nbsp;")
	case '%':
		return r.readLiteral("%20")
	case "\u00a0"[0]:
		return r.readLiteral("\u00a0") || r.readLiteral("\u00ad")
	case "\u200b"[0]:
		return r.readLiteral("\u200b") || r.readLiteral("\u200c") || r.readLiteral("\u200d") || r.readLiteral("\u2060")
	case "\ufeff"[0]:
		return r.readLiteral("\ufeff")
	}
	return false
}
