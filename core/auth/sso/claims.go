package sso

import "strings"

// lookupClaim returns a claim by its name. Dots lead into nested claims: realm_access.roles. It also finds a claim whose own
// name has dots, such as a URL.
func lookupClaim(claims map[string]any, path string) (any, bool) {
	if v, ok := claims[path]; ok {
		return v, true
	}
	for i := len(path) - 1; i > 0; i-- { // the longest name first
		if path[i] != '.' {
			continue
		}
		if inner, ok := claims[path[:i]].(map[string]any); ok {
			if v, ok := lookupClaim(inner, path[i+1:]); ok {
				return v, true
			}
		}
	}
	return nil, false
}

// readStrings returns the strings of a claim: an array, or one string separated by spaces.
func readStrings(v any) []string {
	switch v := v.(type) {
	case string:
		return strings.Fields(v)
	case []any:
		var out []string
		for _, e := range v {
			if s, ok := e.(string); ok {
				out = append(out, s)
			}
		}
		return out
	}
	return nil
}

// findFirstString returns the first claim that is a non-empty string, truncated to a length that can be stored and shown.
func findFirstString(claims map[string]any, names ...string) string {
	for _, n := range names {
		if s, _ := claims[n].(string); s != "" {
			return s[:min(len(s), maxText)]
		}
	}
	return ""
}

// maxText is the maximum length of a name in bytes; OpenID Connect limits sub to it.
const maxText = 255
