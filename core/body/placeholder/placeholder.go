// Package placeholder is the grammar of the placeholders that stand for redacted
// values, {{PII_<TYPE>_<hex>}}: how to find them in a text, as they are or as a
// model has altered them, and what a stream must hold back because it may become
// one. A Set remembers the placeholders of one exchange.
package placeholder

import "strings"

// The grammar of a placeholder is {{PII_[A-Z][A-Z0-9_]{0,30}_[0-9a-f]{16}([0-9a-f]{8})?}}, 64 bytes at most.
const (
	// Opening and Closing stand around the type and the digits.
	Opening = "{{PII_"
	Closing = "}}"
	// ShortHex is the number of digits of a placeholder, LongHex that of one whose
	// short form was taken by another value.
	ShortHex = 16
	LongHex  = 24
	maxType  = 31 // bytes of a type

	// MaxLen is the length of the longest placeholder in bytes.
	MaxLen = len(Opening) + maxType + 1 + LongHex + len(Closing)
)

// The classes of a byte between opening and closing.
const (
	inType = 1 << iota // [A-Z0-9_]
	inHex              // [0-9a-f]
)

var class = func() (t [256]uint8) {
	for c := 'A'; c <= 'Z'; c++ {
		t[c] = inType
	}
	for c := 'a'; c <= 'f'; c++ {
		t[c] = inHex
	}
	for c := '0'; c <= '9'; c++ {
		t[c] = inType | inHex
	}
	t['_'] = inType
	return t
}()

// Next finds the first whole placeholder in text that begins at or after from; it lies at text[start:end].
func Next(text string, from int) (start, end int, ok bool) {
	for at := max(from, 0); at < len(text); at++ {
		i := strings.Index(text[at:], Opening)
		if i < 0 {
			return 0, 0, false
		}
		at += i
		if n := measureBody(text[at+len(Opening):]); n > 0 {
			end := at + len(Opening) + n
			if strings.HasPrefix(text[end:], Closing) {
				return at, end + len(Closing), true
			}
		}
	}
	return 0, 0, false
}

// measureBody returns the length of the type, underscore and digits that s starts with, up to the first byte that can belong to
// none of them; 0 when they are not well-formed.
func measureBody(s string) int {
	n := 0
	for n < len(s) && n < MaxLen && class[s[n]] != 0 {
		n++
	}
	_, digits, ok := splitBody(s[:n])
	if !ok || (digits != ShortHex && digits != LongHex) {
		return 0
	}
	return n
}

// Format writes the placeholder of a type and its digits, which must be valid.
func Format(typ, digits string) string { return Opening + typ + "_" + digits + Closing }

// SplitParts takes a whole placeholder apart; ok is false when token is none.
func SplitParts(token string) (typ, digits string, ok bool) {
	start, end, ok := Next(token, 0)
	if !ok || start != 0 || end != len(token) {
		return "", "", false
	}
	body := token[len(Opening) : len(token)-len(Closing)]
	n, _, _ := splitBody(body)
	return body[:n], body[n+1:], true
}

// splitBody takes the body of a placeholder apart: the length of its type and the number of its digits. The last
// underscore is the one between them, since no digit is an underscore.
func splitBody(body string) (typeLen, digits int, ok bool) {
	typeLen = strings.LastIndexByte(body, '_')
	if typeLen < 1 || !IsValidType(body[:typeLen]) {
		return 0, 0, false
	}
	for i := typeLen + 1; i < len(body); i++ {
		if class[body[i]]&inHex == 0 {
			return 0, 0, false
		}
	}
	return typeLen, len(body) - typeLen - 1, true
}

// IsValidType reports whether s is [A-Z][A-Z0-9_]{0,30}.
func IsValidType(s string) bool {
	if len(s) == 0 || len(s) > maxType || s[0] < 'A' || s[0] > 'Z' {
		return false
	}
	for i := 1; i < len(s); i++ {
		if class[s[i]]&inType == 0 {
			return false
		}
	}
	return true
}

// FindPartial returns the length of the longest end of text that could become a placeholder with more text after it: what a
// stream must hold back. It is less than MaxLen, and 0 for most texts.
func FindPartial(text string) int {
	tail := text[max(0, len(text)-MaxLen+1):]
	for {
		i := strings.IndexByte(tail, '{')
		if i < 0 {
			return 0
		}
		tail = tail[i:]
		if begins(tail) {
			return len(tail)
		}
		tail = tail[1:]
	}
}

// begins says whether s, which is not empty, is the beginning of a placeholder and not a whole one.
func begins(s string) bool {
	if len(s) <= len(Opening) {
		return strings.HasPrefix(Opening, s)
	}
	if !strings.HasPrefix(s, Opening) {
		return false
	}
	body := s[len(Opening):]
	if body[len(body)-1] == '}' { // the first brace of the closing; with the second the placeholder would be whole
		_, digits, ok := splitBody(body[:len(body)-1])
		return ok && (digits == ShortHex || digits == LongHex)
	}
	if IsValidType(body) {
		return true
	}
	_, digits, ok := splitBody(body)
	return ok && digits <= LongHex
}

// Touches reports whether text[start:end] overlaps a placeholder: a detector
// that finds a card number in a placeholder's digits has found nothing.
func Touches(text string, start, end int) bool {
	for at := max(0, start-MaxLen+1); at < end; {
		lo, hi, ok := Next(text[:min(len(text), end+MaxLen)], at)
		if !ok || lo >= end {
			return false
		}
		if hi > start {
			return true
		}
		at = hi
	}
	return false
}
