package downstream

import (
	"net/http"
	"net/textproto"
	"strings"
)

// maxFields is the largest number of lines in the head of a plain request.
const maxFields = 64

// head is the parsed head of a plain request.
type head struct {
	method, target, host string
	length               int64 // of the body
}

// parse reads a head, which ends with an empty line, and stores its fields in h as net/http does. It returns false if
// the request is not plain, which does not say whether it is valid.
func (d *head) parse(s string, h http.Header, values []string) bool {
	rest, ok := d.readRequestLine(s)
	if !ok {
		return false
	}
	d.host, d.length = "", -1
	for rest != "\r\n" {
		name, value, after, ok := cutField(rest)
		if !ok {
			return false
		}
		rest = after
		switch name {
		case "Host":
			if d.host != "" || !isPlainHost(value) {
				return false
			}
			d.host = value
			continue
		case "Content-Length":
			if d.length, ok = parseLength(value); !ok {
				return false
			}
		case "Connection":
			if !strings.EqualFold(value, "keep-alive") {
				return false
			}
		case "Transfer-Encoding", "Expect", "Upgrade", "Trailer", "Pragma":
			return false
		}
		before := len(h)
		if len(values) == cap(values) {
			return false
		}
		values = append(values, value)
		n := len(values)
		h[name] = values[n-1 : n : n]
		if len(h) == before { // a repeated field
			return false
		}
	}
	if d.method == http.MethodPost {
		return d.host != "" && d.length >= 0
	}
	if d.length >= 0 {
		return false
	}
	d.length = 0
	return d.host != ""
}

// readRequestLine reads the request line.
func (d *head) readRequestLine(s string) (rest string, ok bool) {
	switch {
	case strings.HasPrefix(s, "POST /"):
		d.method, s = http.MethodPost, s[5:]
	case strings.HasPrefix(s, "GET /"):
		d.method, s = http.MethodGet, s[4:]
	default:
		return "", false
	}
	d.target, s, _ = strings.Cut(s, " ")
	for i := range len(d.target) {
		if c := d.target[i]; c < '!' || c > '~' {
			return "", false
		}
	}
	return strings.CutPrefix(s, "HTTP/1.1\r\n")
}

// cutField splits off one line.
func cutField(s string) (name, value, rest string, ok bool) {
	i, begins, proper := 0, true, true
	for ; i < len(s); i++ {
		c := kinds[s[i]]
		if c == 0 {
			break
		}
		proper = proper && (c == sign || begins == (c == capital))
		begins = s[i] == '-'
	}
	end := strings.IndexByte(s, '\n')
	if i == 0 || i >= end || s[i] != ':' || s[end-1] != '\r' {
		return "", "", "", false
	}
	name, value, rest = s[:i], s[i+1:end-1], s[end+1:]
	for len(value) > 0 && isBlank(value[0]) {
		value = value[1:]
	}
	for len(value) > 0 && isBlank(value[len(value)-1]) {
		value = value[:len(value)-1]
	}
	for k := range len(value) {
		if c := value[k]; c < ' ' && c != '\t' || c == 0x7f {
			return "", "", "", false
		}
	}
	if !proper {
		name = textproto.CanonicalMIMEHeaderKey(name)
	}
	return name, value, rest, true
}

func isBlank(c byte) bool { return c == ' ' || c == '\t' }

// parseLength reads a Content-Length that has only one spelling.
func parseLength(s string) (int64, bool) {
	if s == "" || len(s) > 15 || s[0] == '0' && len(s) > 1 {
		return 0, false
	}
	n := int64(0)
	for i := range len(s) {
		if s[i] < '0' || s[i] > '9' {
			return 0, false
		}
		n = 10*n + int64(s[i]-'0')
	}
	return n, true
}

// isPlainHost reports whether s consists of the characters of names, addresses and ports.
func isPlainHost(s string) bool {
	for i := range len(s) {
		if c := s[i]; kinds[c] < capital && (c < '0' || c > '9') && !strings.Contains(".:[]-_", s[i:i+1]) {
			return false
		}
	}
	return s != ""
}

// Classes of bytes in a field name; 0: not allowed.
const (
	sign    = 1 // a digit, or an allowed sign
	capital = 2
	small   = 3
)

// kinds implements the token rule of RFC 9110, section 5.6.2.
var kinds = [256]uint8{
	'!': sign, '#': sign, '$': sign, '%': sign, '&': sign, '\'': sign, '*': sign, '+': sign, '-': sign, '.': sign, '^': sign,
	'_': sign, '`': sign, '|': sign, '~': sign,
	'0': sign, '1': sign, '2': sign, '3': sign, '4': sign, '5': sign, '6': sign, '7': sign, '8': sign, '9': sign,
	'A': capital, 'B': capital, 'C': capital, 'D': capital, 'E': capital, 'F': capital, 'G': capital, 'H': capital,
	'I': capital, 'J': capital, 'K': capital, 'L': capital, 'M': capital, 'N': capital, 'O': capital, 'P': capital,
	'Q': capital, 'R': capital, 'S': capital, 'T': capital, 'U': capital, 'V': capital, 'W': capital, 'X': capital,
	'Y': capital, 'Z': capital,
	'a': small, 'b': small, 'c': small, 'd': small, 'e': small, 'f': small, 'g': small, 'h': small, 'i': small,
	'j': small, 'k': small, 'l': small, 'm': small, 'n': small, 'o': small, 'p': small, 'q': small, 'r': small,
	's': small, 't': small, 'u': small, 'v': small, 'w': small, 'x': small, 'y': small, 'z': small,
}
