package placeholder

import "strings"

// MaxAltered is the length of the longest altered placeholder in bytes.
const MaxAltered = 192

// maxLead is the longest text before the letters PII: two braces and what may follow them.
const maxLead = 2*(maxSlashes+len("u007b")) + maxBlank + len("&nbsp;")

// FindNextAltered finds the first placeholder in text that begins at or after from,
// in the form that [Next] finds or in one that a model has made of it: with other
// letters large or small, with blanks and the marks of Markdown between its
// parts, with one brace for two or none at all, and with braces and underscores
// written as entities, in percent, escaped or full-width. Type and digits must be
// whole. It lies at text[start:end], and token is its proper form.
func FindNextAltered(text string, from int) (start, end int, token string, ok bool) {
	from = max(from, 0)
	for at := from; ; {
		k := findLetters(text, at)
		if k < 0 {
			return 0, 0, "", false
		}
		for i := max(from, k-maxLead); i <= k; i++ {
			if !mayBegin(text[i]) {
				continue
			}
			r := reader{text: text, at: i, limit: i + MaxAltered}
			if start, end, ok = r.readPlaceholder(); ok {
				return start, end, r.formatCanonical(text[start:end]), true
			}
		}
		at = k + 1
	}
}

// FindPartialAltered returns the length of the longest end of text, after from, that with
// more text after it could become a placeholder in any form, or become more of
// one: what a stream must hold back. It is less than [MaxAltered], and 0 for most
// texts.
func FindPartialAltered(text string, from int) int {
	for i := max(from, len(text)-MaxAltered+1); i < len(text); i++ {
		if !mayBegin(text[i]) {
			continue
		}
		r := reader{text: text, at: i, limit: i + MaxAltered}
		if r.readPlaceholder(); r.short {
			return len(text) - i
		}
	}
	return 0
}

// findLetters finds the letters PII, all large, or all small except for the first. Two
// of them are the same, so that every other byte is enough to look at.
func findLetters(text string, at int) int {
	for i := at + 1; i < len(text); i += 2 {
		if text[i]|0x20 != 'i' {
			continue
		}
		for k := max(at, i-2); k < i; k++ {
			if k+2 < len(text) && text[k]|0x20 == 'p' && text[k+1] == text[i] && text[k+2] == text[i] {
				return k
			}
		}
	}
	return -1
}

// mayBegin says whether an altered placeholder can start with the byte.
func mayBegin(c byte) bool {
	switch c {
	case '{', '&', '%', '\\', 'P', 'p', "｛"[0]:
		return true
	}
	return false
}

// readPlaceholder reads one that begins here. Whatever it decides, it decides by the
// bytes that it has looked at: when none of them lay beyond the text, more text
// changes nothing.
func (r *reader) readPlaceholder() (start, end int, ok bool) {
	start = r.at
	if n := r.measureUnaltered(); n > 0 {
		return start, start + n, true
	}
	b, opened := r.readOpening()
	if opened > 0 {
		r.braced = true
		r.skipBlanks()
	}
	name := r.at
	if !r.readLetters() || !r.readBody() {
		return 0, 0, false
	}
	end = r.at
	closed := 0
	for ; closed < opened; closed++ {
		if closed == 0 {
			r.skipBlanks()
		}
		if !r.readBrace(b.slashes, b.closing) {
			break
		}
		end = r.at
	}
	if closed == 0 { // without a closing one, braces in front belong to something else
		return name, end, !r.loose
	}
	return start, end, true
}

// measureUnaltered is the length of the unaltered placeholder that begins here, or 0.
func (r *reader) measureUnaltered() int {
	tail := r.text[r.at:]
	if !strings.HasPrefix(tail, Opening) {
		return 0
	}
	if n := len(Opening) + measureBody(tail[len(Opening):]); n > len(Opening) && strings.HasPrefix(tail[n:], Closing) {
		return n + len(Closing)
	}
	r.short = r.short || len(tail) < MaxLen && begins(tail)
	return 0
}
