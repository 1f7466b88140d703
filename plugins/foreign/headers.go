package foreign

import (
	"net/http"
	"slices"
	"strings"
)

// spokenHeaders are the header fields of a request that say how to answer it: what a cache may do, and what changes how a
// provider reads the request. None of them identifies the caller.
var spokenHeaders = []string{
	"Cache-Control", "X-Cache-Control", "Anthropic-Version", "Anthropic-Beta", "Msgapi-Version", "Msgapi-Beta", "Openai-Beta",
}

// plainHeaders are further header fields that say nothing about the caller's identity.
var plainHeaders = []string{"Accept", "Content-Type", "User-Agent"}

// secretHeaders may carry what the caller proves its identity with.
var secretHeaders = []string{
	"Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "Api-Key", "X-Goog-Api-Key", "X-Amz-Security-Token", "X-Auth-Token",
}

// secretWords are parts of names, in small letters, of header fields that may hold a credential, such as those of identity-aware proxies.
var secretWords = []string{"secret", "token", "apikey", "jwt", "auth", "oidc", "password", "session", "cookie", "credential"}

// IsSecretHeader reports whether a header field of requests may hold a credential, so that foreign code must not see it. Case is ignored.
func IsSecretHeader(name string) bool {
	lower := strings.ToLower(name)
	return slices.Contains(secretHeaders, http.CanonicalHeaderKey(name)) || strings.HasSuffix(lower, "-key") ||
		slices.ContainsFunc(secretWords, func(word string) bool { return strings.Contains(lower, word) })
}

// ListHeaders returns the canonical names of the header fields that foreign code may see: those that say how to answer, and some others
// that it asks for by name. They are in the order of the alphabet.
func ListHeaders(h http.Header, others []string) (names []string) {
	for name := range h {
		named := slices.ContainsFunc(others, func(o string) bool { return strings.EqualFold(o, name) })
		if slices.Contains(spokenHeaders, name) || slices.Contains(plainHeaders, name) || named && !IsSecretHeader(name) {
			names = append(names, name)
		}
	}
	slices.Sort(names)
	return names
}

// FormatHeaders returns the header fields of a request that say how to answer it, as a JSON object of lists by canonical name.
func FormatHeaders(h http.Header) []byte {
	out := map[string][]string{}
	for _, name := range spokenHeaders {
		if v := h[name]; len(v) > 0 {
			out[name] = v
		}
	}
	return encodeJSON(out)
}
