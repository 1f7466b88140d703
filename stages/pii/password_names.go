package pii

import (
	"slices"
	"strings"
)

// labelsSecret reports whether v, a text in quotes, is a label that asks for something secret, as forms of connections have it behind the
// name of their field: "Client Secret", "Private Key (PEM)", "access token". A word that means a secret stands last, before a parenthesis
// or before what it is for, and has a word before it that says which one, or is the second of two of which the first begins with a
// capital. Digits and marks anywhere make it a passphrase, and so do more words: "Correct Horse Battery Key".
func labelsSecret(v string) bool {
	if strings.ContainsAny(v, digits09+"@#$%^&*_+=~|\\{}!?") {
		return false
	}
	if cut := strings.IndexByte(v, '('); cut > 0 {
		v = v[:cut]
	}
	words := strings.Fields(v)
	for k, w := range words {
		if slices.Contains(relations, w) && k > 0 {
			words = words[:k]
			break
		}
	}
	if len(words) < 2 || len(words) > 6 {
		return false
	}
	last := strings.ToLower(strings.Trim(words[len(words)-1], ".,:;"))
	return isInSet(secretNouns, last) && (len(words) == 2 && isUpper(v[0]) || isInSet(secretKinds, strings.ToLower(words[len(words)-2])))
}

// secretNouns are words for what opens something, and for what names its owner.
var secretNouns = buildSet("key", "keys", "token", "tokens", "secret", "secrets", "credential", "credentials", "certificate", "id", "pin",
	"code", "passphrase", "passcode")

// secretKinds are words before those that say which one is meant.
var secretKinds = buildSet("client", "api", "access", "account", "master", "private", "shared", "secret", "personal", "bot", "auth",
	"service", "sas", "oauth", "bearer", "refresh", "app", "application", "encryption", "signing", "ssh", "session", "user")

// relations are words that begin what a label's secret is for.
var relations = []string{"for", "of", "to", "from", "in", "if", "or", "used", "as"}

// namesConstantOfSecret reports whether v is the name of a constant that holds a secret: "SOME_TOKEN". The passwords of people have no
// word for one behind a '_', all in capitals.
func namesConstantOfSecret(v string) bool {
	return strings.Contains(v, "_") && strings.Trim(v, lettersAZ+"_") == "" && classifyName(v) != nameless
}

// pairsFlags reports whether the value v behind the quote at i, which ends the name of a flag, is the name of another one in a call that
// says how flags go together: MarkFlagsMutuallyExclusive("tpm-key-password", "cert-selector").
func pairsFlags(s *scan, i int, v string) bool {
	t := s.v.s
	from, end := s.findNameBefore(i)
	if t[i] != '"' || end-from < 3 || !joinsWords(t[from:end]) || !joinsWords(v) || from < 2 || t[from-2] != '(' {
		return false
	}
	k, low := from-2, s.v.stepBack(from-2, keyedBack)
	for k > low && isWordByte(t[k-1]) {
		k--
	}
	call := strings.ToLower(t[k : from-2])
	return slices.ContainsFunc(relaters, func(word string) bool { return strings.Contains(call, word) })
}

// relaters are in the names of functions that say which flags go together. Any other may give its second argument to what the first names.
var relaters = []string{"exclusive", "exclude", "conflict", "require", "together", "oneof", "depend", "implies", "overrides"}

// standsInAuthority reports whether the name before the separator at i is the user or the password of a URL that describes itself:
// "twist://password:login/#channel", "sfr://user:password>@space".
func standsInAuthority(s *scan, i int) bool {
	t := s.v.s
	from, end := s.findNameBefore(i)
	if from == end || from < 3 {
		return false
	}
	if t[from-1] == ':' && isAlnum(t[from-2]) {
		low := s.v.stepBack(from, keyedBack)
		for from--; from > low+3 && isWordByte(t[from-1]); {
			from--
		}
	}
	return strings.HasSuffix(t[:from], "://") && from > 3 && isAlnum(t[from-4])
}

// joinsWords reports whether v is small letters in two words or more with '-' between them.
func joinsWords(v string) bool {
	k := strings.IndexByte(v, '-')
	return k > 0 && !strings.HasSuffix(v, "-") && strings.Trim(v, "abcdefghijklmnopqrstuvwxyz-") == ""
}

// repeatsWords reports whether all letters and digits of the value v, in any case, stand in a name before its last word, from the start
// on: X509_ISSUER_KEY = "x509Issuer".
func repeatsWords(name, v string) bool {
	k := 0
	for i := range len(v) {
		if !isAlnum(v[i]) {
			continue
		}
		for k < len(name) && !isAlnum(name[k]) {
			k++
		}
		if k == len(name) || foldByte(name[k]) != foldByte(v[i]) {
			return false
		}
		k++
	}
	return k > 3
}

// foldByte returns the small letter of c, or c.
func foldByte(c byte) byte {
	if isUpper(c) {
		return c | 0x20
	}
	return c
}
