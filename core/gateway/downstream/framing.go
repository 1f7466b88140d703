package downstream

import "bytes"

// framing follows the bytes of a connection that net/http reads, and refuses a request whose end or fields another
// program on the path could see differently. net/http accepts bare line feeds, folded fields, a Content-Length beside a
// Transfer-Encoding, repeated or padded lengths, and blanks after the size of a chunk.
type framing struct {
	state int
	left  int64  // remaining bytes of a body or a chunk
	line  []byte // the beginning of an incomplete line
	err   error  // the refusal

	current   bool // the request says HTTP/1.1
	hasLength bool
	length    int64
	hasCoding bool
}

// States of framing: what the next byte belongs to.
const (
	inRequestLine = iota
	inFields
	inBody
	inChunkSize
	inChunk
	inChunkEnd
	inTrailer
)

// FramingError is the reason for refusing a request with ambiguous bounds.
type FramingError string

func (e FramingError) Error() string { return string(e) }

// check returns how many bytes of p may be passed on. All bytes after them are refused.
func (f *framing) check(p []byte) (passed int, err error) {
	for n := 0; n < len(p); {
		if f.err != nil {
			return n, f.err
		}
		if f.state == inBody || f.state == inChunk {
			n += f.skip(len(p) - n)
			continue
		}
		end := bytes.IndexByte(p[n:], '\n') + 1
		if end == 0 {
			f.storeLine(p[n:])
			if f.err != nil {
				return n, f.err
			}
			return len(p), nil
		}
		line := p[n : n+end]
		if f.line != nil {
			line, f.line = append(f.line, line...), nil
		}
		if f.err = f.readLine(line); f.err == nil {
			n += end
		}
	}
	return len(p), f.err
}

// skip passes on bytes of a body, and returns how many.
func (f *framing) skip(have int) int {
	n := min(int64(have), f.left)
	if f.left -= n; f.left > 0 {
		return int(n)
	}
	if f.state == inBody {
		f.begin()
	} else {
		f.state = inChunkEnd
	}
	return int(n)
}

// begin starts the next request.
func (f *framing) begin() { *f = framing{} }

// storeLine stores the beginning of a line.
func (f *framing) storeLine(p []byte) {
	f.line = append(f.line, p...)
	if f.state > inFields && len(f.line) > maxChunkLine {
		f.err = FramingError("a line of the chunked body is too long")
	}
}

// readLine reads one line, with its end.
func (f *framing) readLine(line []byte) error {
	text, ok := bytes.CutSuffix(line, []byte("\r\n"))
	if !ok {
		return FramingError("a line ends with a bare line feed")
	}
	for _, c := range text {
		if c < ' ' && c != '\t' || c == 0x7f {
			return FramingError("a line contains a control character")
		}
	}
	switch f.state {
	case inRequestLine:
		if len(text) > 0 { // net/http judges empty lines: it ignores two behind a body
			f.current = bytes.HasSuffix(text, []byte(" HTTP/1.1"))
			f.state = inFields
		}
		return nil
	case inFields:
		if len(text) == 0 {
			return f.endHead()
		}
		return f.readField(text)
	case inChunkSize:
		return f.readChunkSize(text)
	case inChunkEnd:
		if len(text) > 0 {
			return FramingError("a chunk is longer than its size")
		}
		f.state = inChunkSize
		return nil
	default: // inTrailer
		if len(text) == 0 {
			f.begin()
			return nil
		}
		return readTrailer(text)
	}
}

// readField reads a line of the head.
func (f *framing) readField(text []byte) error {
	name, value, err := splitField(text)
	if err != nil {
		return err
	}
	switch {
	case bytes.EqualFold(name, []byte("Content-Length")):
		if f.hasLength {
			return FramingError("more than one Content-Length")
		}
		f.hasLength = true
		if f.length, err = readLength(value); err != nil {
			return err
		}
	case bytes.EqualFold(name, []byte("Transfer-Encoding")):
		if f.hasCoding {
			return FramingError("more than one Transfer-Encoding")
		}
		f.hasCoding = true
		if !bytes.EqualFold(value, []byte("chunked")) {
			return FramingError("the only Transfer-Encoding that is accepted is chunked")
		}
		if !f.current {
			return FramingError("a Transfer-Encoding needs HTTP/1.1")
		}
	}
	if f.hasLength && f.hasCoding {
		return FramingError("both a Content-Length and a Transfer-Encoding")
	}
	return nil
}

// splitField returns the name of a field, and its value without the blanks around it.
func splitField(text []byte) (name, value []byte, err error) {
	if isBlank(text[0]) {
		return nil, nil, FramingError("a field continues on a second line")
	}
	name, value, ok := bytes.Cut(text, []byte(":"))
	if !ok || len(name) == 0 {
		return nil, nil, FramingError("a line of the header has no field name")
	}
	for _, c := range name {
		if kinds[c] == 0 {
			return nil, nil, FramingError("a field name contains a character that is not allowed there")
		}
	}
	return name, bytes.Trim(value, " \t"), nil
}

// readLength reads a Content-Length. A leading zero is refused, because some programs read it as octal.
func readLength(value []byte) (int64, error) {
	const most = 18 // digits
	n := int64(0)
	for _, c := range value {
		if c < '0' || c > '9' {
			return 0, FramingError("the Content-Length contains something other than digits")
		}
		n = 10*n + int64(c-'0')
	}
	if len(value) == 0 || len(value) > most || value[0] == '0' && len(value) > 1 {
		return 0, FramingError("the Content-Length is empty, too large or has a leading zero")
	}
	return n, nil
}

// endHead determines what follows the head.
func (f *framing) endHead() error {
	switch {
	case f.hasCoding:
		f.state = inChunkSize
	case f.length > 0:
		f.state, f.left = inBody, f.length
	default:
		f.begin()
	}
	return nil
}
