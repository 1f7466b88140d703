package sse

import "bytes"

// FindData finds the data of an event: the bytes between start and end of ev. n is
// the number of data lines. Only one line's data lies in one piece; with more,
// the span is that of the first and Join gives them all.
func FindData(ev []byte) (start, end, n int) {
	for at := skipMark(ev); at < len(ev); {
		stop := len(ev)
		if k := findLineEnd(ev[at:]); k >= 0 {
			stop = at + k
		}
		if lo, ok := findValue(ev[at:stop]); ok {
			if n == 0 {
				start, end = at+lo, stop
			}
			n++
		}
		at = stop + 1
		if stop+1 < len(ev) && ev[stop] == '\r' && ev[stop+1] == '\n' {
			at++
		}
	}
	return start, end, n
}

// skipMark returns where an event begins behind a byte order mark. The standard has clients
// drop the one at the beginning of a stream, so that the line behind it counts.
func skipMark(ev []byte) int {
	const mark = "\xEF\xBB\xBF"
	if len(ev) >= len(mark) && string(ev[:len(mark)]) == mark {
		return len(mark)
	}
	return 0
}

// findValue says where the value of a data line begins.
func findValue(line []byte) (int, bool) {
	const name = "data"
	switch {
	case !bytes.HasPrefix(line, []byte(name)):
		return 0, false
	case len(line) == len(name):
		return len(name), true
	case line[len(name)] != ':':
		return 0, false
	case len(line) > len(name)+1 && line[len(name)+1] == ' ':
		return len(name) + 2, true
	}
	return len(name) + 1, true
}

// Join writes an event with several data lines as one with a single line: their
// contents joined by a space, which is white space in JSON as the line feed is
// that the standard would put there. Other lines are dropped.
func Join(dst, ev []byte) []byte {
	dst = append(dst, "data: "...)
	first := true
	for at := skipMark(ev); at < len(ev); {
		stop := len(ev)
		if k := findLineEnd(ev[at:]); k >= 0 {
			stop = at + k
		}
		if lo, ok := findValue(ev[at:stop]); ok {
			if !first {
				dst = append(dst, ' ')
			}
			dst = append(dst, ev[at+lo:stop]...)
			first = false
		}
		at = stop + 1
	}
	return append(dst, "\n\n"...)
}
