package config

import "strings"

// Secret is text that is never shown: it prints, formats and marshals as a
// fixed mark. Reveal gives the text to whoever has to use it.
type Secret string

const masked = "[secret]"

// Reveal gives the text itself.
func (s Secret) Reveal() string { return string(s) }

// String gives a mark, or "" when there is nothing to hide.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString keeps %#v from showing the text.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText keeps JSON and log encoders from showing the text.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// secretWords mark the keys of opaque blocks whose values are kept out of messages.
var secretWords = []string{"key", "password", "passphrase", "secret", "token", "credential", "authorization", "cookie", "url"}

func secretName(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
