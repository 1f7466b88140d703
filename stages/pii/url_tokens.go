package pii

import "strings"

// tokenMin is the length of the shortest user of a URL that is taken for a token by its characters, and tokenLong that of one which may
// lack capitals or small letters.
const (
	tokenMin  = 16
	tokenLong = 32
)

// isTokenOfURL reports whether the user of a URL without a password is a token, as servers of repositories and packages take it: letters
// and digits that are no name, "https://q8Zr2LmX0vTn4KpW@host".
func isTokenOfURL(user string) bool {
	if len(user) < tokenMin || isDigitless(user) || looksLikeName(user) || standsForSecret(user) {
		return false
	}
	for i := range len(user) {
		if !isWordByte(user[i]) && user[i] != '-' {
			return false
		}
	}
	return isWildlyMixed(user) || len(user) >= tokenLong && !looksLikePath(user)
}

// namesNode reports whether the scheme that ends at i is that of a node of Ethereum, whose user is its public key: "enode://...@host",
// or of a store, and the user the UUID of a container.
func namesNode(t string, i int) bool {
	scheme := t[findSchemeStart(t, i):i]
	if strings.HasPrefix(scheme, "n") && findByteBefore(t, i-len(scheme)) == '\\' {
		scheme = scheme[1:] // the letter of an escape
	}
	return isInSet(nodeSchemes, scheme) || isUUID(t[i+3:min(len(t), i+3+36)]) && findByteAt(t, i+3+36) == '@' && isInSet(storeSchemes, scheme)
}

// storeSchemes are those of stores whose user is a container.
var storeSchemes = buildSet("abfs", "abfss", "wasb", "wasbs")

var nodeSchemes = buildSet("enode", "enrtree")
