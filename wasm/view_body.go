package wasm

import (
	"bytes"

	"github.com/headgate-dev/headgate/core"
)

// hiddenParams are members that are separate fields, or identify a person.
var hiddenParams = map[string]bool{"model": true, "tools": true, "user": true, "metadata": true, "safety_identifier": true}

// formatParams returns the members of a request that hold no text, as a JSON object. A guest can read text only by its source.
func formatParams(p *core.Payload) []byte {
	out := []byte{'{'}
	seg := 0
	visitMembers(p.Raw, func(key []byte, from, start, end int) bool {
		for seg < len(p.Segments) && p.Segments[seg].Span.End <= start {
			seg++
		}
		texts := seg < len(p.Segments) && p.Segments[seg].Span.Start < end
		if texts || hiddenParams[string(key)] || bytes.IndexByte(key, '\\') >= 0 { // a name may be spelled with escapes
			return true
		}
		if len(out) > 1 {
			out = append(out, ',')
		}
		out = append(out, p.Raw[from:end]...)
		return true
	})
	return append(out, '}')
}

// findMember returns the value of a member of a JSON object, or nil.
func findMember(doc []byte, name string) (value []byte) {
	visitMembers(doc, func(key []byte, _, start, end int) bool {
		if string(key) != name {
			return true
		}
		value = doc[start:end]
		return false
	})
	return value
}

// visitMembers calls each with every member of a JSON object: its key as spelled, the start of the key, and the start and end of the value.
// The document must be valid JSON; if it is not an object, each is not called.
func visitMembers(doc []byte, each func(key []byte, from, start, end int) bool) {
	at := skipBlanks(doc, 0)
	if at >= len(doc) || doc[at] != '{' {
		return
	}
	for at = skipBlanks(doc, at+1); at < len(doc) && doc[at] == '"'; at = skipBlanks(doc, at+1) {
		from := at
		at = skipValue(doc, at)
		key := doc[from+1 : max(at-1, from+1)]
		if at = skipBlanks(doc, at); at >= len(doc) || doc[at] != ':' {
			return
		}
		start := skipBlanks(doc, at+1)
		at = skipValue(doc, start)
		if !each(key, from, start, at) {
			return
		}
		if at = skipBlanks(doc, at); at >= len(doc) || doc[at] != ',' {
			return
		}
	}
}

func skipBlanks(doc []byte, at int) int {
	for at < len(doc) && isSpace(doc[at]) {
		at++
	}
	return at
}

// skipValue returns the end of the value that begins at an offset.
func skipValue(doc []byte, at int) int {
	depth := 0
	for at < len(doc) {
		switch doc[at] {
		case '"':
			for at++; at < len(doc) && doc[at] != '"'; at++ {
				if doc[at] == '\\' {
					at++
				}
			}
		case '{', '[':
			depth++
		case '}', ']':
			if depth == 0 {
				return at
			}
			depth--
		case ',', ' ', '\t', '\r', '\n', ':':
			if depth == 0 {
				return at
			}
			at++
			continue
		default:
			if depth == 0 { // a number or a literal
				for at < len(doc) && doc[at] != ',' && doc[at] != '}' && doc[at] != ']' && !isSpace(doc[at]) {
					at++
				}
				return at
			}
		}
		at = min(at+1, len(doc))
		if depth == 0 {
			return at
		}
	}
	return at
}
