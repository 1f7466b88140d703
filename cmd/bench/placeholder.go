package main

import "bytes"

// placeholderOpen begins every placeholder of the gateway.
const placeholderOpen = "{{PII_"

// maxPlaceholder is the longest a placeholder may be, in bytes.
const maxPlaceholder = 64

// noPlaceholder is echoed when a prompt holds no placeholder. It is as long as
// one for an e-mail address with 16 digits, so that answers weigh the same.
const noPlaceholder = "no placeholder in the request."

// firstPlaceholder returns the first whole placeholder of a body, or nil. It
// takes capitals, digits, underscores and lower-case hex between the braces,
// and so nothing that would break the JSON it is echoed into.
func firstPlaceholder(b []byte) []byte {
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
