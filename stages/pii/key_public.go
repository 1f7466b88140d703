package pii

import (
	"encoding/base64"
	"net/url"
	"strings"
)

// isSignatureDER reports whether v begins, in base64, as a signature by ECDSA does (RFC 3279, 2.2.3): a sequence of two numbers as long
// as those of the curves P-256, P-384 and P-521. Private keys have a version of one byte in the place of the first.
func isSignatureDER(v string) bool {
	if len(v) < 60 || v[0] != 'M' {
		return false
	}
	der, err := base64.StdEncoding.DecodeString(v[:8])
	if err != nil || der[0] != 0x30 {
		return false
	}
	number := 2
	if der[1] == 0x81 {
		number++
	}
	if der[number] != 2 {
		return false
	}
	switch der[number+1] {
	case 0x1f, 0x20, 0x21, 0x2f, 0x30, 0x31, 0x41, 0x42:
		return true
	}
	return false
}

// wrapsText reports whether v is a UUID or a name in base64, as the keys of messages and rows are, rather than a random value.
func wrapsText(v string) bool {
	b, err := base64.StdEncoding.DecodeString(v)
	if err != nil || len(b) < 8 {
		return false
	}
	for _, c := range b {
		if c < ' ' || c > '~' {
			return false
		}
	}
	text := string(b)
	return isUUID(text) || looksLikeName(text) || looksLikePath(text)
}

// isEscapedName reports whether v is, with its escapes of a URL resolved, the name or the path of a file: "daily%2Dreport%2Dtest.dat".
func isEscapedName(v string) bool {
	if strings.Count(v, "%") < 1 {
		return false
	}
	plain, err := url.PathUnescape(v)
	return err == nil && plain != v && (looksLikePath(plain) || isFilePath(plain) || isFileName(plain))
}

// isFileName reports whether v is the name of a file, of words and a number: "metadata123123.mp4".
func isFileName(v string) bool {
	point := strings.LastIndexByte(v, '.')
	if point < 3 || !isInSet(fileKinds, strings.ToLower(v[point+1:])) {
		return false
	}
	stem := v[:point-countTrailingDigits(v[:point])]
	return len(stem) > 2 && isDigitless(stem) && looksLikeName(stem)
}

// namesHost reports whether t[from:end] is the host of a remote of git: "git@github.com:owner/name".
func namesHost(t string, from, end int) bool {
	return from > 0 && t[from-1] == '@' && strings.Contains(t[from:end], ".")
}

// signsURL reports whether the name that ends at end has its value right behind a '=', as in the query of a URL or in a shared access
// signature of Azure ("SharedAccessSignature sig=…&se=…"). The member "sig" of an object is the signature of a document, which is public.
func signsURL(t string, end int) bool {
	return findByteAt(t, end) == '=' && findByteAt(t, end+1) > ' ' && findByteAt(t, end+1) != '='
}
