package pii

import (
	"slices"
	"strings"
)

// numbersProgram reports whether t[i:end] is as likely the version of a program as an address.
func numbersProgram(t string, i, end int) bool {
	return isReducedVersion(t[i:end]) && findByteBefore(t, i) != '=' || followsProgram(t, i)
}

// followsSince reports whether the tag "@since" of a comment precedes i.
func followsSince(t string, i int) bool {
	const tag = "@since "
	return i >= len(tag) && t[i-len(tag):i] == tag
}

// followsProgram reports whether a word and a '-' precede i, and the word is not one that an address follows: "jdk-17.0.9.1".
func followsProgram(t string, i int) bool {
	if i < 3 || t[i-1] != '-' || !isLetterByte(t[i-2]) {
		return false
	}
	k := i - 1
	for k > 0 && i-k < 16 && isLetterByte(t[k-1]) {
		k--
	}
	return (k == 0 || !isOneOf(t[k-1], "-._")) && !slices.Contains(ipWords, strings.ToLower(t[k:i-1]))
}

// isReducedVersion reports whether v is as likely the version of a browser as an address: browsers say "118.0.0.0" and leave the rest out.
// Addresses that end so number a network, 10.0.0.0 and 127.0.0.0 above all, and have the length of a prefix or a telling word.
func isReducedVersion(v string) bool {
	major, ok := strings.CutSuffix(v, ".0.0.0")
	return ok && len(major) > 1 && major != "10" && major != "127" && (len(major) == 2 || major < "224")
}
