package upstream

import "bytes"

const (
	// maxChunkLine bounds the line of a chunk's size with its extensions, which are ignored, in bytes.
	maxChunkLine = 1 << 10
	// maxChunkWaste is how many bytes of extensions a body may hold beyond its payload. Only an attacker sends an
	// answer that is mostly extensions.
	maxChunkWaste = 16 << 10
	// maxTrailers bounds the trailers, which are read and dropped, in bytes.
	maxTrailers = 4 << 10
)

// chunkState is the reader's position in a chunked body. The zero value is the beginning.
type chunkState uint8

const (
	chunkSize    chunkState = iota // before a size line
	chunkData                      // left bytes of payload are to come
	chunkGap                       // before the CRLF behind the payload
	chunkTrailer                   // before a trailer line or the last, empty one
	chunkEnd
)

// skipFraming skips the framing bytes that have arrived. It stops before payload, at the end, or when more is
// needed; the state tells the caller which.
func (b *leanBody) skipFraming() error {
	c := b.conn
	for {
		have := c.buf[c.r:c.w]
		switch b.state {
		case chunkData, chunkEnd:
			return nil
		case chunkGap:
			if len(have) > 0 && have[0] != '\r' || len(have) > 1 && have[1] != '\n' {
				return malformedError("no CRLF behind a chunk")
			}
			if len(have) < 2 {
				return nil
			}
			c.r += 2
			b.state = chunkSize
		case chunkSize:
			line, err := cutLine(have, maxChunkLine)
			if line == nil {
				return err
			}
			c.r += len(line)
			if err := b.readChunkSize(line[:len(line)-2]); err != nil {
				return err
			}
		case chunkTrailer:
			line, err := cutLine(have, maxTrailers-b.trailers)
			if line == nil {
				return err
			}
			c.r += len(line)
			b.trailers += len(line)
			if len(line) == 2 {
				b.state = chunkEnd
			} else if err := checkTrailer(line[:len(line)-2]); err != nil {
				return err
			}
		}
	}
}

// readChunkSize reads a size line without its CRLF: hexadecimal digits, then nothing or extensions.
func (b *leanBody) readChunkSize(line []byte) error {
	var n int64
	i := 0
	for ; i < len(line); i++ {
		d := unhexDigit(line[i])
		if d > 15 {
			break
		}
		if i == 15 { // 60 bits, which cannot overflow
			return malformedError("chunk size")
		}
		n = n<<4 | int64(d)
	}
	if i == 0 {
		return malformedError("chunk size")
	}
	if ext := line[i:]; len(ext) > 0 {
		if ext[0] != ';' || !hasOnly(ext, classText) {
			return malformedError("chunk extension")
		}
		if b.waste += int64(len(ext)); b.waste > maxChunkWaste+b.got {
			return tooLargeError("chunk extensions")
		}
	}
	if b.left = n; n == 0 {
		b.state = chunkTrailer
	} else {
		b.state = chunkData
	}
	return nil
}

func unhexDigit(c byte) byte {
	switch {
	case '0' <= c && c <= '9':
		return c - '0'
	case 'a' <= c && c <= 'f':
		return c - 'a' + 10
	case 'A' <= c && c <= 'F':
		return c - 'A' + 10
	}
	return 255
}

// cutLine returns the first line of b with its CRLF, or nil if its end has not arrived.
func cutLine(b []byte, limit int) ([]byte, error) {
	i := bytes.IndexByte(b, '\n')
	if i < 0 {
		if len(b) >= limit {
			return nil, tooLargeError("line within a chunked body")
		}
		return nil, nil
	}
	if i+1 > limit {
		return nil, tooLargeError("line within a chunked body")
	}
	if i == 0 || b[i-1] != '\r' {
		return nil, malformedError("a line ends without CR")
	}
	return b[:i+1], nil
}

// checkTrailer refuses trailer lines that a strict reader would not accept, as in a head.
func checkTrailer(line []byte) error {
	i := bytes.IndexByte(line, ':')
	if i < 0 || !isToken(line[:i]) {
		return malformedError("trailer field name")
	}
	if !hasOnly(line[i+1:], classText) {
		return malformedError("trailer field value")
	}
	return nil
}
