package sse

import (
	"bytes"
	"strings"
)

// IsPure reports whether an event consists of data lines, and before them at most a name, an
// id or a time that is one word. lo and hi are what [FindData] gave for it: where the data of
// its first line lies. An event with several data lines is never pure.
func IsPure(ev []byte, lo, hi int) bool {
	for _, c := range ev[hi:] {
		if c != '\n' && c != '\r' {
			return false
		}
	}
	head := ev[:lo]
	if string(head) == "data: " {
		return true
	}
	at := bytes.LastIndexAny(head, "\r\n") + 1
	if _, ok := findValue(head[at:]); !ok {
		return false
	}
	for head = head[:at]; len(head) > 0; {
		n := findLineEnd(head)
		if n > 0 && !isKept(head[:n]) {
			return false
		}
		head = head[n+1:]
	}
	return true
}

// Strip removes from the event at the end of buf, which starts at from, what no client reads
// as data: comments, unknown fields, and names, ids and times that are not one word. A
// comment without data, which keeps a connection alive, becomes an empty one. It works in
// place.
func Strip(buf []byte, from int) []byte {
	out, ev := buf[:from], buf[from:]
	hasData, said := false, false
	for at := skipMark(ev); at < len(ev); {
		stop, next := len(ev), len(ev)
		if n := findLineEnd(ev[at:]); n >= 0 {
			stop, next = at+n, at+n+1
			if ev[stop] == '\r' && next < len(ev) && ev[next] == '\n' {
				next++
			}
		}
		line := ev[at:stop]
		_, isData := findValue(line)
		switch {
		case isData:
			hasData = true
			out = append(out, ev[at:next]...)
		case len(line) == 0:
			if said && !hasData {
				out = append(out, ":\n"...) // not longer than the comment
			}
			out = append(out, ev[at:next]...)
			said = false
		case line[0] == ':':
			said = true
		case isKept(line):
			out = append(out, ev[at:next]...)
		}
		at = next
	}
	return out
}

// isKept reports whether a line is a field of the standard besides data, with one word
// as its value.
func isKept(line []byte) bool {
	name, value, _ := bytes.Cut(line, []byte(":"))
	switch string(name) {
	case "event", "id", "retry":
		return isWord(bytes.TrimPrefix(value, []byte(" ")))
	}
	return false
}

// isWord reports whether the value of a field is spelled like an identifier.
func isWord(value []byte) bool {
	for _, c := range value {
		switch {
		case 'a' <= c && c <= 'z', 'A' <= c && c <= 'Z', '0' <= c && c <= '9':
		case strings.IndexByte("_-.:/+=#~", c) >= 0:
		default:
			return false
		}
	}
	return true
}
