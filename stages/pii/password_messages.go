package pii

import "strings"

// saysWhatIsWrong reports whether the quoted text that begins at from is words and the last one says what is wrong, as the messages of
// forms and servers do: {"password": "ticket expired"}.
func saysWhatIsWrong(s *scan, i, from int) bool {
	t, end := s.v.s, from
	for end < len(t) && end-from < spacedMax && (isLetterByte(t[end]) || t[end] == ' ') {
		end++
	}
	s.noteLookAhead(i, end+2)
	v := strings.TrimSpace(t[from:end])
	if findByteAt(t, end) == '.' {
		end++
	}
	return findByteAt(t, end) == t[from-1] && isInSet(faults, v[strings.LastIndexByte(v, ' ')+1:]) && speaksOfField(v)
}

// speaksOfField reports whether a message has a word for what is wrong or a verb; people may choose other words for a password.
func speaksOfField(v string) bool {
	for w := range strings.FieldsSeq(strings.ToLower(v)) {
		if isInSet(messageWords, w) {
			return true
		}
	}
	return false
}

// messageWords are in messages about fields.
var messageWords = buildSet(strings.Fields(`ticket token session link code account request login field value username user email password
	passwords credentials key secret is are was has not too must do does cannot already`)...)

// faults end messages about a field.
var faults = buildSet("expired", "invalid", "required", "missing", "failed", "incorrect", "mismatch", "wrong", "denied", "empty",
	"short", "long", "weak", "match")

// namesEncoding reports whether v is a function or an encoding before a word, as in a comment: "password: base64 string".
func namesEncoding(t string, to int, v string) bool {
	if findByteAt(t, to) != ' ' || !isLetterByte(findByteAt(t, to+1)) {
		return false
	}
	name, rest, _ := strings.Cut(strings.ToLower(v), "-")
	return isInSet(encodings, name) && strings.Trim(rest, "sha0123456789md-") == ""
}

// encodings are what a password may be written or hashed with.
var encodings = buildSet("base64", "base32", "hex", "hmac", "sha1", "sha256", "sha512", "bcrypt", "argon2", "scrypt", "pbkdf2", "md5")

// labelsField reports whether v is the label of a field: the verb with which its name begins, in English or in a language that has it
// with another ending: `confirm_password: "Confirmer"`.
func labelsField(name, v string) bool {
	for _, verb := range [...]string{"confirm", "repeat", "reset", "forgot", "change"} {
		if hasFold(name, 0, verb) && hasFold(v, 0, verb) && isInSet(verbEndings, strings.ToLower(v[len(verb):])) {
			return true
		}
	}
	return false
}

// verbEndings are what English and languages that have its verbs put behind them.
var verbEndings = buildSet("", "a", "ar", "ado", "ada", "e", "ed", "er", "ez", "r", "ieren", "iere", "ing", "ation", "acion", "ten", "ter")
