package config

import "strings"

// Secret is text that is never shown: it prints, formats and marshals as a fixed mark. Reveal returns the text.
type Secret string

const masked = "[secret]"

// Reveal returns the text.
func (s Secret) Reveal() string { return string(s) }

// String returns a mark, or "" if the secret is empty.
func (s Secret) String() string {
	if s == "" {
		return ""
	}
	return masked
}

// GoString hides the text from %#v.
func (s Secret) GoString() string { return `"` + s.String() + `"` }

// MarshalText hides the text from JSON and log encoders.
func (s Secret) MarshalText() ([]byte, error) { return []byte(s.String()), nil }

// secretWords mark the keys of opaque blocks whose values are kept out of messages.
var secretWords = []string{"key", "password", "passphrase", "secret", "token", "credential", "authorization", "cookie", "url"}

func isSecretName(name string) bool {
	name = strings.ToLower(name)
	for _, word := range secretWords {
		if strings.Contains(name, word) {
			return true
		}
	}
	return false
}
