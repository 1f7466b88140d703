package upstream

import (
	"bytes"
	"strings"
)

// maxFields is the largest number of header fields of an answer. Providers send 10 to 40; net/http has no such limit, so
// it is chosen well above what a proxy chain adds, and low enough that a hostile head costs little memory.
const maxFields = 512

// headScan finds the end of an answer's head in bytes that arrive in pieces. Every line must end in CRLF: readers
// disagree about a lone LF or CR.
type headScan struct {
	seen int // bytes scanned so far
	line int // where the current line begins
}

// findEnd returns the length of the head with its empty line, or 0 if its end has not arrived. b starts with the head;
// each call passes the same bytes, grown.
func (s *headScan) findEnd(b []byte) (int, error) {
	for {
		i := bytes.IndexByte(b[s.seen:], '\n')
		if i < 0 {
			s.seen = len(b)
			return 0, nil
		}
		lf := s.seen + i
		if lf == s.line || b[lf-1] != '\r' {
			return 0, malformedError("a line ends without CR")
		}
		if lf-s.line == 1 {
			if s.line == 0 {
				return 0, malformedError("an empty line where the status line belongs")
			}
			return lf + 1, nil
		}
		s.line, s.seen = lf+1, lf+1
	}
}

// statusLine is an answer's parsed first line.
type statusLine struct {
	minor  int // of HTTP/1.x: 0 or 1
	status int
}

// parseStatusLine reads a line without its CRLF. A missing reason phrase is accepted with or without the space before it:
// servers leave out both.
func parseStatusLine(s string) (statusLine, error) {
	const version = "HTTP/1."
	if len(s) < len("HTTP/1.1 200") || s[:len(version)] != version || s[8] != ' ' || s[7] != '0' && s[7] != '1' {
		return statusLine{}, malformedError("status line")
	}
	l := statusLine{minor: int(s[7] - '0')}
	for _, c := range []byte(s[9:12]) {
		if c < '0' || c > '9' {
			return statusLine{}, malformedError("status code")
		}
		l.status = l.status*10 + int(c-'0')
	}
	if l.status < 100 || l.status > 599 {
		return statusLine{}, malformedError("status code")
	}
	if rest := s[12:]; rest != "" && (rest[0] != ' ' || !hasOnly(rest, classText)) {
		return statusLine{}, malformedError("reason phrase")
	}
	return l, nil
}

// parseHead reads a whole head as headScan delimits it. The fields are substrings of s and are appended to fields.
func parseHead(s string, fields []Field) (statusLine, []Field, error) {
	text, s := splitLine(s)
	line, err := parseStatusLine(text)
	if err != nil {
		return statusLine{}, fields, err
	}
	for {
		if text, s = splitLine(s); text == "" {
			return line, fields, nil
		}
		if len(fields) == maxFields {
			return statusLine{}, fields, tooLargeError("number of header fields")
		}
		f, err := parseField(text)
		if err != nil {
			return statusLine{}, fields, err
		}
		fields = append(fields, f)
	}
}

// splitLine splits off a line, without its CRLF.
func splitLine(s string) (line, rest string) {
	i := strings.IndexByte(s, '\n')
	if i < 1 {
		return "", ""
	}
	return s[:i-1], s[i+1:]
}

// parseField parses a field line. The check of the name also refuses a folded line (it starts with a blank), a blank
// before the colon and an empty name.
func parseField(s string) (Field, error) {
	i := strings.IndexByte(s, ':')
	if i < 0 || !isToken(s[:i]) {
		return Field{}, malformedError("header field name")
	}
	v := trimBlank(s[i+1:])
	if !hasOnly(v, classText) {
		return Field{}, malformedError("header field value")
	}
	return Field{Name: s[:i], Value: v}, nil
}
