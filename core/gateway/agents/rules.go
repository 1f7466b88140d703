package agents

import (
	"slices"
	"strings"
)

const maxNameLength = 64

// IsName reports whether an agent may have the name: up to 64 letters, digits, dots, dashes and underscores, beginning with a
// letter or digit.
func IsName(s string) bool {
	return s != "" && len(s) <= maxNameLength && isAlnum(rune(s[0])) &&
		!strings.ContainsFunc(s, func(r rune) bool { return !isAlnum(r) && !strings.ContainsRune(".-_", r) })
}

// reserved are the headers that the gateway sets itself, in lower case.
var reserved = []string{
	"host", "content-length", "transfer-encoding", "connection", "content-type", "accept-encoding", "te", "trailer", "upgrade", "accept",
}

// MaySend reports whether a header of this name may be configured for an agent.
func MaySend(header string) bool {
	low := strings.ToLower(header)
	return header != "" && !slices.Contains(reserved, low) && !strings.HasPrefix(low, "a2a-") &&
		!strings.ContainsFunc(header, func(r rune) bool { return !isAlnum(r) && !strings.ContainsRune("!#$%&'*+-.^_`|~", r) })
}

func isAlnum(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}
