package wasm

import "strings"

// Text that was redacted before holds placeholders, {{PII_<TYPE>_<hex>}} with a
// type of 1 to 31 characters and 16 or 24 hexadecimal digits. They are not
// text: a match that touches one is no match.
const (
	placeholderStart = "{{PII_"
	maxPlaceholder   = len(placeholderStart) + 31 + 1 + 24 + 2
)

// placeholderAt gives the length of the placeholder that s begins with, or 0.
func placeholderAt(s string) int {
	if !strings.HasPrefix(s, placeholderStart) {
		return 0
	}
	s = s[:min(len(s), maxPlaceholder)]
	end := strings.Index(s, "}}")
	if end < 0 {
		return 0
	}
	body := s[len(placeholderStart):end]
	cut := strings.LastIndexByte(body, '_')
	if cut < 1 || cut > 31 {
		return 0
	}
	typ, hex := body[:cut], body[cut+1:]
	if len(hex) != 16 && len(hex) != 24 || typ[0] < 'A' || typ[0] > 'Z' {
		return 0
	}
	for i := range len(typ) {
		if c := typ[i]; !('A' <= c && c <= 'Z' || '0' <= c && c <= '9' || c == '_') {
			return 0
		}
	}
	for i := range len(hex) {
		if c := hex[i]; !('0' <= c && c <= '9' || 'a' <= c && c <= 'f') {
			return 0
		}
	}
	return end + 2
}

// openPlaceholder finds where text ends in what may become a placeholder, or
// gives -1. It may say yes too often; a stream then waits a little longer.
func openPlaceholder(text string) int {
	from := max(0, len(text)-maxPlaceholder+1)
	for {
		k := strings.IndexByte(text[from:], '{')
		if k < 0 {
			return -1
		}
		from += k
		if mayBecomePlaceholder(text[from:]) {
			return from
		}
		from++
	}
}

func mayBecomePlaceholder(s string) bool {
	if len(s) <= len(placeholderStart) {
		return strings.HasPrefix(placeholderStart, s)
	}
	if !strings.HasPrefix(s, placeholderStart) || placeholderAt(s) > 0 {
		return false
	}
	body := strings.TrimSuffix(s[len(placeholderStart):], "}")
	for i := range len(body) {
		if c := body[i]; !('A' <= c && c <= 'Z' || '0' <= c && c <= '9' || 'a' <= c && c <= 'f' || c == '_') {
			return false
		}
	}
	return true
}

// touchesPlaceholder reports whether text[start:end] overlaps a placeholder.
func touchesPlaceholder(text string, start, end int) bool {
	from := max(0, start-maxPlaceholder+1)
	for from < end {
		k := strings.Index(text[from:min(len(text), end+len(placeholderStart)-1)], placeholderStart)
		if k < 0 || from+k >= end {
			return false
		}
		from += k
		if n := placeholderAt(text[from:]); n > 0 {
			if from+n > start {
				return true
			}
			from += n
			continue
		}
		from++
	}
	return false
}
