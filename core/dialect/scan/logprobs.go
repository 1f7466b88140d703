package scan

import (
	"strconv"
	"strings"
	"unicode"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
)

// Repeats reports whether log probabilities contain no more for a guard than the texts: the chosen tokens, one after
// the other, spell the beginnings of texts, and each token that the model could have chosen instead is no longer than
// one word. The bytes of a token must be those that it is spelled with. It reads the forms of chat, of legacy
// completions, of Responses and of generateContent. at is where the value lies in doc; doc is valid JSON there. The
// contents of texts are escaped once.
func Repeats(doc []byte, at splice.Span, texts ...splice.Span) bool {
	if len(texts) > maxTexts {
		return false
	}
	r := repeat{doc: doc[at.Start:at.End]}
	for i, t := range texts {
		text, _ := splice.ReadText(doc, t, 1, nil)
		r.left[i] = zerocopy.String(text)
	}
	r.s.Reset(r.doc)
	r.readValue(chosenTokens)
	return r.s.Err() == nil && !r.more
}

// maxTexts is how many texts log probabilities can repeat: those of a part, or of a choice.
const maxTexts = 16

// repeat is the state of one comparison.
type repeat struct {
	s    splice.Scanner
	doc  []byte
	left [maxTexts]string // what is not spelled yet
	more bool             // it says more than the texts

	token tokenOf // of the innermost object that is open
}

// tokenOf is a token and its bytes, which come in any order.
type tokenOf struct {
	text           string
	bytes          []byte
	hasText, other bool // other: there is more in its bytes than numbers of bytes
}

// tokenList says which tokens a value holds.
type tokenList uint8

const (
	chosenTokens tokenList = iota
	otherTokens            // those that the model could have chosen
	noTokens
)

// lists are the members with tokens; strings of all other members must be spelled like
// identifiers.
var lists = map[string]tokenList{
	"content": chosenTokens, "refusal": chosenTokens, "tokens": chosenTokens,
	"chosenCandidates": chosenTokens, "chosen_candidates": chosenTokens,
	"top_logprobs": otherTokens, "topCandidates": otherTokens, "top_candidates": otherTokens, "candidates": otherTokens,
}

func (r *repeat) readValue(list tokenList) {
	switch r.s.Kind() {
	case splice.Object:
		outer := r.token
		r.token = tokenOf{}
		r.s.Enter()
		for r.s.Next() {
			key := zerocopy.String(r.s.Key())
			next, ok := lists[key]
			switch {
			case ok:
				r.readValue(next)
			case key == "token" && r.s.Kind() == splice.String:
				r.token.text, r.token.hasText = r.readToken(list), true
			case key == "token":
				r.readValue(list)
			case key == "bytes" && r.s.Kind() == splice.Array:
				r.readBytes()
			default:
				if list == otherTokens && r.s.Kind() == splice.Number { // of legacy completions, where tokens are names
					r.more = r.more || !isOneWord(key)
				} else if at, ok := r.s.KeySpan(); !ok || !IsPlain(r.doc[at.Start:at.End]) {
					r.more = true
				}
				r.readValue(noTokens)
			}
		}
		r.more = r.more || !r.token.isSpelled()
		r.token = outer
	case splice.Array:
		r.s.Enter()
		for r.s.Next() {
			r.readValue(list)
		}
	case splice.String:
		r.readToken(list)
	default:
		r.s.Skip()
	}
}

func (r *repeat) readToken(list tokenList) string {
	token := ReadAlias(&r.s, r.doc)
	switch list {
	case chosenTokens:
		r.consumeToken(token)
	case otherTokens:
		r.more = r.more || !isOneWord(token)
	case noTokens:
		r.more = r.more || !IsPlain(zerocopy.ViewBytes(token))
	}
	return token
}

// readBytes reads the bytes of a token.
func (r *repeat) readBytes() {
	t := &r.token
	t.bytes = make([]byte, 0, 16)
	r.s.Enter()
	for r.s.Next() {
		if r.s.Kind() != splice.Number {
			t.other = true
			r.s.Skip()
			continue
		}
		n, err := strconv.ParseUint(string(ReadNumber(&r.s, r.doc)), 10, 8)
		t.other = t.other || err != nil
		t.bytes = append(t.bytes, byte(n))
	}
}

// isSpelled reports whether the bytes, if there are any, are those of the token. A token that
// is part of a character is spelled with a replacement character by some providers.
func (t *tokenOf) isSpelled() bool {
	switch {
	case t.other:
		return false
	case len(t.bytes) == 0:
		return true
	case !t.hasText:
		return false
	}
	spelled := zerocopy.String(t.bytes)
	if spelled == t.text || spelled == unescapeBytes(t.text) {
		return true
	}
	return !utf8.ValidString(spelled) && strings.ToValidUTF8(spelled, replaced) == joinReplaced(t.text)
}

const replaced = string(utf8.RuneError)

// joinReplaced makes one of several replacement characters in a row.
func joinReplaced(s string) string {
	for strings.Contains(s, replaced+replaced) {
		s = strings.ReplaceAll(s, replaced+replaced, replaced)
	}
	return s
}

// consumeToken takes a token from the texts.
func (r *repeat) consumeToken(token string) {
	for _, spelled := range [2]string{token, unescapeBytes(token)} {
		for i := range r.left {
			if rest, ok := strings.CutPrefix(r.left[i], spelled); ok {
				r.left[i] = rest
				return
			}
		}
	}
	r.more = true
}

// unescapeBytes decodes a token that is part of a character, which OpenAI spells
// `\xf0\x9f`, also behind "bytes:".
func unescapeBytes(token string) string {
	rest := strings.TrimPrefix(token, "bytes:")
	if !strings.HasPrefix(rest, `\x`) {
		return token
	}
	var out []byte
	for len(rest) >= 4 && rest[:2] == `\x` {
		hi, lo := strings.IndexByte(hexDigits, rest[2]), strings.IndexByte(hexDigits, rest[3])
		if hi < 0 || lo < 0 {
			return token
		}
		out, rest = append(out, byte(hi<<4|lo)), rest[4:]
	}
	return string(out) + rest
}

const hexDigits = "0123456789abcdef"

const (
	maxTokenBytes  = 128 // the longest tokens are runs of one sign
	maxTokenWord   = 40  // the longest word of a vocabulary
	maxTokenDigits = 4   // vocabularies have numbers up to three
)

// isOneWord reports whether a token could be of a vocabulary: at most two words, with no
// blank and no "@" between them, and hardly a digit. An "@" alone, or before a word, is in
// every vocabulary and is not an address.
func isOneWord(token string) bool {
	if len(token) > maxTokenBytes {
		return false
	}
	words, digits, length, blank := 0, 0, 0, false
	inWord := false
	for _, c := range unescapeBytes(token) {
		switch {
		case unicode.IsDigit(c):
			digits++
			fallthrough
		case unicode.IsLetter(c), unicode.IsMark(c), c == '_', c == '\'', c == utf8.RuneError:
			if !inWord {
				if words++; words > 1 && blank {
					return false
				}
				inWord, length, blank = true, 0, false
			}
			length++
		default:
			inWord = false
			blank = blank || unicode.IsSpace(c) || c == '@' && words > 0
		}
		if words > 2 || digits > maxTokenDigits || length > maxTokenWord {
			return false
		}
	}
	return true
}
