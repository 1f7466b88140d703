package sso

import "strings"

// lookupClaim finds a claim by its name, in which dots lead into nested ones: realm_access.roles. A claim whose own name has
// dots, as an address does, is found too.
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

// readStrings are the texts of a claim: an array of them, or one with spaces between.
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

// firstString is the first of the claims that is a text and not empty, cut to a length that can be stored and shown.
func firstString(claims map[string]any, names ...string) string {
	for _, n := range names {
		if s, _ := claims[n].(string); s != "" {
			return s[:min(len(s), maxText)]
		}
	}
	return ""
}

// maxText is the longest name that is taken over, in bytes; OpenID Connect bounds sub by it.
const maxText = 255
