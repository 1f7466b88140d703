package downstream

import "bytes"

// maxChunkLine limits a line in a chunked body, in bytes. net/http limits the lines of a head.
const maxChunkLine = 1 << 10

// readChunkSize reads the line before a chunk.
func (f *framing) readChunkSize(text []byte) error {
	const most = 15 // digits
	size, extension, extended := bytes.Cut(text, []byte(";"))
	n := int64(0)
	for _, c := range size {
		d, ok := decodeHexDigit(c)
		if !ok {
			return FramingError("the size of a chunk contains something other than hexadecimal digits")
		}
		n = n<<4 | d
	}
	if len(size) == 0 || len(size) > most {
		return FramingError("the size of a chunk is missing or too large")
	}
	if extended && !isExtension(extension) {
		return FramingError("the extension of a chunk is malformed")
	}
	if f.left, f.state = n, inChunk; n == 0 {
		f.state = inTrailer
	}
	return nil
}

func decodeHexDigit(c byte) (int64, bool) {
	switch {
	case '0' <= c && c <= '9':
		return int64(c - '0'), true
	case 'a' <= c && c <= 'f':
		return int64(c - 'a' + 10), true
	case 'A' <= c && c <= 'F':
		return int64(c - 'A' + 10), true
	}
	return 0, false
}

// isExtension reports whether s is a chunk extension without blanks: names with or without a value.
func isExtension(s []byte) bool {
	for part := range bytes.SplitSeq(s, []byte(";")) {
		name, value, ok := bytes.Cut(part, []byte("="))
		if ok && len(value) > 1 && value[0] == '"' && value[len(value)-1] == '"' {
			value = value[1 : len(value)-1]
		}
		if !isToken(name) || ok && !isToken(value) {
			return false
		}
	}
	return true
}

// isToken implements the token rule of RFC 9110, section 5.6.2.
func isToken(s []byte) bool {
	for _, c := range s {
		if kinds[c] == 0 {
			return false
		}
	}
	return len(s) > 0
}

// readTrailer reads a field after a chunked body. The gateway uses no trailer, but refuses those that another program
// could merge into the header.
func readTrailer(text []byte) error {
	name, _, err := splitField(text)
	if err != nil {
		return err
	}
	switch string(bytes.ToLower(name)) {
	case "transfer-encoding", "content-length", "host", "connection", "trailer", "te", "upgrade", "expect",
		"authorization", "proxy-authorization", "cookie", "x-api-key", "x-gen-api-key", "x-goog-api-key", "x-forwarded-for",
		"content-type", "content-encoding", "content-range":
		return FramingError("a trailer has a name that is allowed in the header only")
	}
	return nil
}
