package batch

import (
	"bufio"
	"errors"
	"io"
)

// lines reads lines within bounded memory.
type lines struct {
	r   *bufio.Reader
	max int
	buf []byte
	mid bool // inside a line that is too long
}

func newLines(r io.Reader, longest int) *lines {
	return &lines{r: bufio.NewReaderSize(r, 64<<10), max: longest}
}

// readLine returns the next line with its line end, if any; it is valid until the next call. A line that is too long
// comes in pieces that are not whole. At the end it returns io.EOF and no line.
func (l *lines) readLine() (line []byte, whole bool, err error) {
	l.buf = l.buf[:0]
	for {
		part, err := l.r.ReadSlice('\n')
		if len(l.buf) == 0 && err == nil { // most lines are not copied
			return part, l.isComplete(len(part)), nil
		}
		l.buf = append(l.buf, part...)
		switch {
		case errors.Is(err, bufio.ErrBufferFull):
			if len(l.buf) > l.max {
				l.mid = true
				return l.buf, false, nil
			}
		case err == nil, errors.Is(err, io.EOF) && len(l.buf) > 0:
			return l.buf, l.isComplete(len(l.buf)), nil
		default:
			return nil, false, err
		}
	}
}

// isComplete reports whether the text up to the end of a line is the whole line.
func (l *lines) isComplete(n int) bool {
	whole := !l.mid && n <= l.max
	l.mid = false
	return whole
}
