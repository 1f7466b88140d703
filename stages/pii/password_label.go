package pii

import (
	"strings"
	"unicode"
	"unicode/utf8"
)

// shownMax bounds the text that isLabel judges.
const shownMax = 160

// labelsPassword reports whether what begins at from, behind the name of a password and the separator at i, is a text that a program
// shows, as files of translations have it: "changePassword": "Passwort ändern". quoted says that a quote precedes it.
func labelsPassword(s *scan, i, from int, quoted bool) bool {
	t, closing := s.v.s, byte('\n')
	if quoted {
		closing = t[from-1]
	} else if t[i] == '>' {
		closing = '<'
	}
	end := from
	for end < len(t) && end-from < shownMax && t[end] != closing && t[end] != '\n' && t[end] != gap {
		end++
	}
	s.noteLookAhead(i, end+1)
	v := t[from:end]
	if !quoted && end < len(t) && t[end] == '\n' {
		v = strings.TrimSuffix(v, "\r")
	}
	closed := findByteAt(t, end) == closing && closing != '\n'
	return quoted && labelsSecret(v) || isLabel(v, closed, quoted && (asksForPassword(s, i) || endsSentence(s, i)))
}

// isLabel reports whether v is words, one of which is a word of labelWords, or words of a script without spaces or capitals, or, if asked
// says that its name tells what to do with a password, a sentence. People choose passwords of words too, but not these. A compound such as
// "Fever-Passwort" counts if closed says that v is all that is shown and another word is in it: alone it may be a password.
func isLabel(v string, closed, asked bool) bool {
	words, numbers, named, compound, foreign, sentence := 0, 0, false, false, false, false
	for w := range strings.FieldsSeq(v) {
		w = strings.TrimRight(strings.TrimLeft(w, "(<{«„“'’¿¡"), ".,:;?!)>}»“”'’…")
		if w == "" {
			continue
		}
		if strings.Trim(w, digits09) == "" {
			numbers++ // of characters that it must have
			continue
		}
		if words++; strings.ContainsAny(w, "<>") {
			continue // with a tag: "<0>log out</0>"
		}
		if strings.ContainsAny(w, digits09+"@#$%^&*_+=~|\\{}") {
			return false
		}
		first, _ := utf8.DecodeRuneInString(w)
		low := strings.ToLower(w)
		named, compound = named || labelWords[low], compound || endsInLabelWord(low)
		foreign = foreign || strings.ContainsFunc(w, isUncased)
		sentence = sentence || words > 1 && !unicode.IsUpper(first)
	}
	first, _ := utf8.DecodeRuneInString(v)
	switch {
	case numbers > 0 && words < 4:
		return false
	case named, foreign, compound && closed && words > 1:
		return true
	case words < 2 || !asked:
		return words > 1 && unicode.In(first, unicode.Cyrillic, unicode.Greek)
	}
	return sentence && unicode.IsUpper(first) || first >= utf8.RuneSelf
}

// endsInLabelWord reports whether a word in small letters ends in one that means "password", behind a '-' or at the end of a compound.
func endsInLabelWord(w string) bool {
	if labelWords[w[strings.LastIndexByte(w, '-')+1:]] {
		return true
	}
	for _, end := range [...]string{"passwort", "kennwort", "lösenord", "wachtwoord", "adgangskode", "salasana"} {
		if strings.HasSuffix(w, end) {
			return true
		}
	}
	return false
}

// isUncased reports whether r is a letter of a script without capitals, in which passwords are hardly typed.
func isUncased(r rune) bool {
	return r >= utf8.RuneSelf && unicode.IsLetter(r) && !unicode.IsUpper(r) && !unicode.IsLower(r) && !unicode.In(r, unicode.Latin)
}

// asksForPassword reports whether the name before the separator at i says what to do with a password, as "changePassword",
// "forgot-password" and "Enter your password" do, rather than whose it is.
func asksForPassword(s *scan, i int) bool {
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	end := i
	for end > low && betweenNames[t[end-1]] {
		end--
	}
	from := end
	for from > low && (isWordByte(t[from-1]) || isOneOf(t[from-1], "-. ,")) {
		from--
	}
	for k := from; k < end; k++ {
		if !isLetterByte(t[k]) || k > from && isLetterByte(t[k-1]) && (!isUpper(t[k]) || isUpper(t[k-1])) {
			continue
		}
		for _, w := range requests {
			if hasFold(t, k, w) && k+len(w) < end && (!isLetterByte(t[k+len(w)]) || isUpper(t[k+len(w)])) {
				return true
			}
		}
	}
	return false
}

// sentenceMin is how many words at least precede the last one of a sentence that is the key of a translation. Names that people give have
// fewer: "What is the password?".
const sentenceMin = 6

// endsSentence reports whether the name before the separator at i ends a sentence of many words in quotes, as the keys of translations may
// be: `"All sent data is unreadable without the given password.": "..."`.
func endsSentence(s *scan, i int) bool {
	t, low := s.v.s, s.v.stepBack(i, keyedBack)
	from, end := s.findNameBefore(i)
	if !isOneOf(findByteAt(t, end), ".?!") || !isOneOf(findByteAt(t, end+1), "\"'") {
		return false
	}
	k := from
	for k > low && (isLetterByte(t[k-1]) || isOneOf(t[k-1], " ,")) {
		k--
	}
	return len(strings.Fields(t[k:max(k, from)])) >= sentenceMin
}

// requests are words before "password" in the names of texts that a program shows.
var requests = strings.Fields(`change reset forgot forgotten show hide enter edit set update invalid wrong incorrect
	retype reenter verify choose create your lost recover request no missing required please type in`)

// labelWords mean "password" in the languages into which programs are translated, in small letters.
var labelWords = buildSet(strings.Fields(`password passwort passworts kennwort kennworts passphrase passe contraseña contraseñas contrasenya
	contrasinal clave senha senhas palavra-passe parola paroli hasło hasła heslo hesla jelszó jelszót jelszava salasana salasanan
	salasanaa lösenord lösenordet passord passordet adgangskode adgangskoden wachtwoord wachtwoorden şifre şifresi şifreyi şifreni
	şifrə şifrəni parolu parolunu lozinka lozinku geslo gesla slaptažodis slaptažodį parole paroles paroli parool parooli pasahitza
	пароль пароля паролей паролю парола паролата лозинка лозинку пароле фраза pasvorto pasvorta
	parolă parolası parolanız parolanızı parolayı bi̍t-bé
	wachtwurd wagwoord pasfhocal lykilorð cyfrinair passwuert nenosiri fjalëkalimi κωδικός κωδικού κωδικό mật khẩu sandi sifra šifra šifru frase fraza գաղտնաբառ գաղտնաբառը`)...)
