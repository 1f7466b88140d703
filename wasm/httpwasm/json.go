package httpwasm

import (
	"bytes"

	"github.com/headgate-dev/headgate/core/body/splice"
)

// visitMembers calls each with every member of an object until it returns false. The document is valid JSON.
func visitMembers(doc []byte, each func(key string, value splice.Span) bool) {
	at := skipBlanks(doc, 1)
	for at < len(doc) && doc[at] == '"' {
		end := skipString(doc, at)
		key := readString(doc[at:end])
		start := skipBlanks(doc, skipBlanks(doc, end)+1)
		if at = skipValue(doc, start); !each(key, splice.Span{Start: start, End: at}) {
			return
		}
		at = skipBlanks(doc, skipBlanks(doc, at)+1)
	}
}

// visitElements calls each with every element of a list until it returns false. The document is valid JSON.
func visitElements(doc []byte, each func(value splice.Span) bool) {
	at := skipBlanks(doc, 1)
	for at < len(doc) && doc[at] != ']' {
		start := at
		if at = skipValue(doc, start); !each(splice.Span{Start: start, End: at}) {
			return
		}
		if at = skipBlanks(doc, at); at < len(doc) && doc[at] == ']' {
			return
		}
		at = skipBlanks(doc, at+1)
	}
}

func skipBlanks(doc []byte, at int) int {
	for at < len(doc) && (doc[at] == ' ' || doc[at] == '\t' || doc[at] == '\n' || doc[at] == '\r') {
		at++
	}
	return at
}

func skipString(doc []byte, at int) int {
	for at++; at < len(doc) && doc[at] != '"'; at++ {
		if doc[at] == '\\' {
			at++
		}
	}
	return min(at+1, len(doc))
}

// skipValue returns the end of the value at an offset.
func skipValue(doc []byte, at int) int {
	depth := 0
	for at < len(doc) {
		switch doc[at] {
		case '"':
			at = skipString(doc, at)
		case '{', '[':
			depth++
			at++
		case '}', ']':
			depth--
			at++
		default:
			if depth == 0 {
				for at < len(doc) && !bytes.ContainsRune([]byte(",]} \t\r\n"), rune(doc[at])) {
					at++
				}
				return at
			}
			at++
		}
		if depth == 0 {
			return at
		}
	}
	return at
}

// trimSpan returns a span without the white space around it.
func trimSpan(doc []byte, start, end int) splice.Span {
	start = skipBlanks(doc, start)
	for end > start && skipBlanks(doc[:end], end-1) == end {
		end--
	}
	return splice.Span{Start: start, End: end}
}
