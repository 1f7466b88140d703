package auth

import (
	"errors"
	"strings"
)

// PATPrefix is the prefix of personal access tokens.
const PATPrefix = "headgate_pat_"

// patShown is the number of characters of a token that may be shown.
const patShown = 20

// Limits of a token from elsewhere, in characters after the prefix. 32 random letters and digits are 190 bits.
const (
	minPAT, maxPAT = 32, 256
	minDifferent   = 8
)

// NewPAT returns a personal access token with 256 bits of randomness.
func NewPAT() string { return PATPrefix + newSecret() }

// CutVisiblePATPrefix returns the first characters of a token, which may be shown.
func CutVisiblePATPrefix(token string) string { return token[:min(len(token), patShown)] }

// CheckPAT returns why a token from elsewhere is not acceptable, or nil. The error does not contain the token.
func CheckPAT(token string) error {
	rest, ok := strings.CutPrefix(token, PATPrefix)
	if !ok {
		return errors.New("a token must start with " + PATPrefix)
	}
	seen := map[rune]bool{}
	for _, c := range rest {
		if c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9' || c == '-' || c == '_' {
			seen[c] = true
			continue
		}
		return errors.New("after " + PATPrefix + ", a token may contain only letters, digits, dashes and underscores")
	}
	switch {
	case len(rest) < minPAT:
		return errors.New("a token must have at least 32 random characters after " + PATPrefix + "; create them with: openssl rand -hex 32")
	case len(rest) > maxPAT:
		return errors.New("a token must have at most 256 characters after " + PATPrefix)
	case len(seen) < minDifferent:
		return errors.New("the characters after " + PATPrefix + " are not random; create them with: openssl rand -hex 32")
	}
	return nil
}
