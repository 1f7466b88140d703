package pii

import (
	"bytes"
	"encoding/base64"
	"strings"
)

// secretTypes are what opens something.
var secretTypes = []detector{
	{
		name: "PRIVATE_KEY", pack: packSecrets, find: findPrivateKey, reach: pemMax + 100, masked: true,
		triggers: []trigger{
			{
				at: "-", before: byteSet{bytes: "-"}, behind: byteSet{bytes: "B"},
				why:     "the last '-' before BEGIN",
				example: "-----BEGIN EC PRIVATE KEY-----\nMHcCAQEEIIGlRFZ\nabcdefgh\n-----END EC PRIVATE KEY-----",
			},
			{
				at: ":", before: byteSet{bytes: "s"}, behind: byteSet{bytes: " "}, look: followsPuttyLines, find: findPuttyKey,
				why: "behind the name of PuTTY's lines of base64", example: "Private-Lines: 1\nMHcCAQEEIIGlRFZabcdefgh\n",
			},
		},
	},
	{
		name: "API_KEY", pack: packSecrets, find: findNamedKey, reach: 2 * keyMax,
		triggers: []trigger{
			{
				at: anchors.bytes, before: byteSet{table: &anchors.before}, behind: byteSet{table: &anchors.behind},
				look: hasAnchor, find: findPrefixedKey,
				why: "the last capital, '_', '-' or '.' in a prefix of keyRules", example: "ghp_16C7e42F292c6912E7710c838347Ae178B4a",
			},
			{
				at:      ".",
				before:  newAlnumOr(""),
				behind:  newAlnumOr("-_.=+/~"),
				look:    followsFourteenAlnum,
				find:    findDottedKey,
				why:     "between the head and the body of a key",
				example: "pat3kQ9vXz1LmR7bT.7f3a9c04be51d2867f3a9c04be51d2867f3a9c04be51d2867f3a9c04be51d286",
			},
			{
				at: "Q", before: byteSet{classes: isDigit}, behind: byteSet{bytes: "~"}, find: findAzureKey,
				why: "\"Q~\" behind the first four characters of a key of Azure", example: "abc8Q~q8Zr2LmX0vTn4KpW9sBdq8Zr2LmX0vTn4K",
			},
			{
				at: "_", before: newAlnumOr(""), behind: newAlnumOr("-_.=+/~"), look: followsSixAlnum, find: findMaxMindKey,
				why: "behind the account of a key of MaxMind", example: "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",
			},
			{
				at: digits09, number: numberForm{joined: true}, find: findNumberedKey,
				why: "a digit in a prefix of small letters", example: "dapi7f3a9c04be51d2867f3a9c04be51d286",
			},
			{
				at: "_-", before: byteSet{bytes: "deikntyDEIKNTY"}, behind: newAlnumOr(""), look: followsKeyWord, find: findWordedKey,
				why: "between a word that says what a key opens and its body", example: "acme_live_q8Zr2LmX0vTn4KpW9sBdQ7fH",
			},
			{
				at: "QAN", before: byteSet{classes: isLetter | isDigit, bytes: "+/"}, behind: byteSet{bytes: "JZCzSBER"}, find: findMarkedKey,
				why: "in the mark that an issuer puts into its keys", example: "9c1b2f3a4d5e6f708192a3b4c5d6e7f80912FFFFNRAL",
			},
			{
				at: "-", before: aHexDigit, behind: byteSet{bytes: "u", classes: isHex}, look: followsHex, find: findHexKey,
				why: "behind the hexadecimal digits of a key", example: "9c1b2f3a4d5e6f708192a3b4c5d6e7f8-us12",
			},
			{
				at: ":", before: byteSet{classes: isDigit}, behind: byteSet{bytes: "A"}, find: findKeyWithColon,
				why: "behind the number of a bot", example: "1234567890:AAF3xYzQ7rLm2Kp9Wv4tBn8sDc6hJg1eRu5",
			},
			{
				at: ":", behind: byteSet{bytes: "/"}, find: findKeyWithColon,
				why: "behind the scheme of a webhook", example: "https://hooks.slack.com/services/T0AB3CD9E/B0FG7HI2J/q8Zr2LmX0vTn4KpW9sBd",
			},
			{
				at: "|", before: byteSet{classes: isDigit}, behind: newAlnumOr("-_"), look: followsAppNumber, find: findAppToken,
				why: "between the number of an app and its secret", example: "214748364712345|q8Zr2LmX0vTn4KpW9sBdQ7fHc3y",
			},
			{
				at: "-", before: byteSet{bytes: "-"}, behind: byteSet{classes: isLetter}, find: findFlagKey,
				why: "begins a flag whose value is a key", example: "deploy --api-key q8Zr2LmX0vTn4KpW9sBd",
			},
			{
				at: ":", before: byteSet{classes: isDigit}, behind: aHexDigit, look: followsAccount, find: findAsanaKey,
				why: "between the account and the body of a key", example: "1/1204882365411273:9c1b2f3a4d5e6f708192a3b4c5d6e7f8",
			},
			{
				at: digits09, behind: byteSet{bytes: "/"}, number: numberForm{digits: 1, first: [2]int{1, 1}, early: true}, find: findOldAsanaKey,
				why: "the version before the body of a key", example: "0/9c1b2f3a4d5e6f708192a3b4c5d6e7f8",
			},
			{
				at: ":=>", names: []nameKind{namesKey, namesSomeKey, namesAuthorization},
				why: "behind a name that says that a key follows", example: "api_key: q8Zr2LmX0vTn4KpW9sBd",
			},
			{
				at: "\"", behind: byteSet{bytes: ","}, names: []nameKind{namesKey, namesSomeKey, namesAuthorization},
				why: "ends such a name as the first argument of a call", example: `setProperty("api_key", "q8Zr2LmX0vTn4KpW9sBd")`,
			},
		},
	},
	{
		name: "JWT", pack: packSecrets, find: findJWT, reach: jwtMax,
		triggers: []trigger{
			{
				at: "J", before: byteSet{bytes: "y"}, why: "\"eyJ\" begins the coded header",
				example: "eyJhbGciOiJIUzI1NiJ9.eyJzdWIiOiIxMjM0In0.dGhlLXNpZ25hdHVyZQ",
			},
			{
				at: "K", before: byteSet{bytes: "l"}, find: findDoubleJWT, why: "\"ZXlK\" begins a token that was coded twice",
				example: "ZXlKaGJHY2lPaUpJVXpJMU5pSjkuZXlKemRXSWlPaUl4TWpNMEluMC5kR2hsTFhOcFoyNWhkSFZ5WlE",
			},
			{
				at: ".", before: newAlnumOr("-_"), behind: byteSet{bytes: "e"}, find: findJWTLike,
				why: "between two coded objects", example: "eyXhbGciOiXIUzI1NiX9.eyXzdWIiOiIxMjM0In0dGhl",
			},
		},
	},
	{
		name: "URL_CREDENTIALS", pack: packSecrets, find: findURLCredentials, reach: 2 * userinfoMax,
		triggers: []trigger{
			{
				at: ":", before: newAlnumOr("+-."), behind: byteSet{bytes: "/"},
				why: "behind the scheme", example: "postgres://app:s3cr7t@db.example:5432/x",
			},
			{
				at: ":", before: newAlnumOr("_.-"), behind: byteSet{bytes: " \n\"'\\`", excluded: true},
				why: "between the user and the password of curl's -u", example: "curl -u kim:hunter2xyz https://a.example",
			},
		},
	},
	{
		name: "PASSWORD", pack: packSecrets, find: findPassword, reach: valueMax, masked: true,
		triggers: []trigger{
			{
				at: "'\"", before: byteSet{bytes: " "}, look: followsPasswordClause, find: findClausePassword,
				why: "behind IDENTIFIED BY", example: "CREATE USER kim IDENTIFIED BY 'hunter2!'",
			},
			{
				at: "-", before: byteSet{bytes: "-"}, behind: byteSet{classes: isLetter}, find: findFlagPassword,
				why: "begins a flag whose value is a password", example: "deploy --password hunter2!",
			},
			{
				at: "-", before: byteSet{bytes: " "}, behind: byteSet{bytes: "p"}, find: findShortFlag,
				why: "begins the flag -p of a command", example: "sshpass -p hunter2! ssh kim@host",
			},
			{
				at: "'", behind: byteSet{bytes: ","}, look: definesConstant, find: findPassword, names: []nameKind{namesPassword},
				why: "ends the name of a constant of PHP", example: "define('DB_PASSWORD', 'hunter2!');",
			},
			{at: ":=>", names: []nameKind{namesPassword}, why: "behind the name of a password", example: "password=hunter2!"},
			{
				at: "\"", behind: byteSet{bytes: ","}, names: []nameKind{namesPassword},
				why: "ends such a name as the first argument of a call", example: `setProperty("password", "hunter2!")`,
			},
		},
	},
	{
		name: "CRYPTO_ADDRESS", pack: packBank, find: findCrypto, words: cryptoWords,
		triggers: []trigger{{
			at: digits09, number: numberForm{joined: true},
			why: "the first digit of the address", example: "16Yeky6GMjeNkAiNcBY7ZhrLoMSgg1BoyZ",
		}},
	},
}

// namedKeyMin is the length of the shortest key that is known by its name.
const namedKeyMin = 10

// findNamedKey recognises an access key by the name before it. A value with escapes is read whole if they are only those of '/', which
// writers of JSON escape, and otherwise up to the first.
func findNamedKey(s *scan, i int) (int, int, float32) {
	t := s.v.s
	kind, from, to := s.findNamedValue(i)
	if kind != namesKey && kind != namesSomeKey && kind != namesAuthorization {
		return 0, 0, 0
	}
	if first := findFirstEscape(t, from, to); first < to {
		end := trimKey(t, from, to)
		if v := unescapeSlashes(t[from:end]); !strings.Contains(v, `\`) && isNamedKey(s, i, kind, from, end, v) {
			return from, end, 0.75
		}
		to = first
	}
	to = trimKey(t, from, to)
	return from, to, chooseScore(isNamedKey(s, i, kind, from, to, t[from:to]), 0.75, 0)
}

// trimKey returns the end of the key t[from:to] without the marks with which a sentence goes on or ends.
func trimKey(t string, from, to int) int {
	for to > from && strings.IndexByte(".,;:", t[to-1]) >= 0 {
		to--
	}
	return to
}

// isNamedKey reports whether v, the value t[from:to] without escapes, is a key behind a name of the given kind, whose separator is at i.
func isNamedKey(s *scan, i int, kind nameKind, from, to int, v string) bool {
	t := s.v.s
	quoted := isQuoted(t, from)
	if len(v) < namedKeyMin || strings.HasPrefix(v, "ey") && strings.Contains(v, ".ey") || namesOther(t, to, v, quoted) ||
		kind == namesSomeKey && hasPathPiece(v) {
		return false
	}
	if !quoted && (isConstant(t, i, v) || t[i] == '"' && isIdentifierPath(v) || repeatsName(s, i, v)) || !isValueOf(kind, v) {
		return false
	}
	if !quoted && isExpression(t, i, v, findByteAt(t, to), s.pair.indented) || strings.Contains(v, "/aws4_request") {
		return false
	}
	a, end := s.findNameBefore(i)
	if !quoted && endsInType(t[a:end], v) || hasFold(t, a, "hashed") && isHexNumber(v) && isHashLength(len(v)) {
		return false
	}
	return kind == namesAuthorization || !namesObject(t[a:end], v) && !repeatsWords(t[a:end], v) &&
		!(hasFold(t, a, "token") && comparesName(t, i, v))
}

// isHashLength reports whether n is how many hexadecimal digits MD5, SHA-1 or SHA-2 have.
func isHashLength(n int) bool { return n == 32 || n == 40 || n == 56 || n == 64 || n == 96 || n == 128 }

// endsInType reports whether v is a name of a type with a capital, in which the name of a value comes last: "authorization:
// EIP7702Authorization".
func endsInType(name, v string) bool {
	k := len(v) - len(name)
	return k > 0 && len(name) > 4 && isUpper(v[0]) && isUpper(v[k]) && hasFold(v, k, strings.ToLower(name)) && isIdentifierPath(v)
}

// isValueOf reports whether a value behind a name of the given kind is random enough for it.
func isValueOf(kind nameKind, v string) bool {
	if !looksLikeSecret(v) || standsForSecret(v) {
		return false
	}
	if kind == namesAuthorization {
		return !isBasicStandIn(v)
	}
	return !looksLikeName(v) && !namesAlgorithm(v) && !readsKeyOfCurve(v) && (kind != namesSomeKey || isWildlyMixed(v) && !wrapsText(v))
}

// comparesName reports whether the value v behind the "==" at i is two words of a program with a number between them, one of them long:
// `token === "xterm256Background"`.
func comparesName(t string, i int, v string) bool {
	if !strings.HasPrefix(t[i:], "==") || !looksLikeName(v+"0") && !looksLikeName(v+"Name") {
		return false
	}
	return hasLongWord(v) && strings.Trim(v, lettersAZ+"abcdefghijklmnopqrstuvwxyz0123456789") == ""
}

// repeatsName reports whether the name before the separator at i is the last part of the value: "PrivateKey = ed25519.PrivateKey".
func repeatsName(s *scan, i int, v string) bool {
	a, end := s.findNameBefore(i)
	name := s.v.s[a:end]
	return len(name) > 3 && strings.HasSuffix(v, "."+name)
}

// isBasicStandIn reports whether the user and the password of a Basic header in base64 are words in capitals, as in manuals:
// "CLIENT_ID:CLIENT_SECRET".
func isBasicStandIn(v string) bool {
	b, err := base64.StdEncoding.DecodeString(v[:len(v)&^3])
	if err != nil || len(b) == 0 {
		return false
	}
	for _, c := range b {
		if !isUpper(c) && c != '_' && c != ':' {
			return false
		}
	}
	return bytes.IndexByte(b, ':') > 0
}
