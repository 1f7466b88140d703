package process

import "strings"

const (
	letters  = "abcdefghijklmnopqrstuvwxyzABCDEFGHIJKLMNOPQRSTUVWXYZ"
	capitals = "ABCDEFGHIJKLMNOPQRSTUVWXYZ"
	digits   = "0123456789"
)

func isValidLabel(s string) bool {
	return s != "" && len(s) <= 63 && strings.Contains(letters, s[:1]) && strings.Trim(s, letters+digits+"_") == ""
}

// isValidMark reports whether a finding can have the label.
func isValidMark(s string) bool {
	return s != "" && len(s) <= 63 && strings.Contains(letters, s[:1]) && strings.Trim(s, letters+digits+"_.-") == ""
}

// isValidRule reports whether a finding of a policy can have the id.
func isValidRule(s string) bool {
	return s != "" && len(s) <= maxRule && strings.Trim(s, letters+digits+"._/-") == ""
}

func isValidType(s string) bool {
	return len(s) <= maxType && strings.Contains(capitals, s[:1]) && strings.Trim(s, capitals+digits+"_") == "" && s[len(s)-1] != '_'
}

func isValidHeader(s string) bool {
	rest, ok := strings.CutPrefix(s, "X-")
	return s == "Age" || ok && rest != "" && len(s) <= 64 && strings.Trim(rest, letters+digits+"-") == ""
}

func isVisible(s string) bool {
	return !strings.ContainsFunc(s, func(c rune) bool { return c < ' ' || c > '~' })
}
