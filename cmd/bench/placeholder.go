package main

import "bytes"

// placeholderOpen begins every placeholder of the gateway.
const placeholderOpen = "{{PII_"

// maxPlaceholder is the maximum length of a placeholder, in bytes.
const maxPlaceholder = 64

// noPlaceholder is echoed if a prompt contains no placeholder. It is as long as one for an e-mail address with 16
// digits, so that answers have the same size.
const noPlaceholder = "no placeholder in the request."

// findPlaceholder returns the first complete placeholder of a body, or nil. It accepts only capitals, digits,
// underscores and lower-case hex between the braces, so it cannot break the JSON that echoes it.
func findPlaceholder(b []byte) []byte {
	for {
		i := bytes.Index(b, []byte(placeholderOpen))
		if i < 0 {
			return nil
		}
		b = b[i:]
		end := bytes.Index(b[:min(len(b), maxPlaceholder)], []byte("}}"))
		if end > 0 && isTokenText(b[len(placeholderOpen):end]) {
			return b[:end+2]
		}
		b = b[len(placeholderOpen):]
	}
}

func isTokenText(b []byte) bool {
	for _, c := range b {
		switch {
		case c >= 'A' && c <= 'Z', c >= 'a' && c <= 'f', c >= '0' && c <= '9', c == '_':
		default:
			return false
		}
	}
	return len(b) > 0
}
