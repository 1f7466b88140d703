package remote

import (
	"errors"
	"fmt"
	"strings"
	"unicode/utf8"
)

// Limits of a verdict.
const (
	MaxFindings = 1024 // per call
	MaxMessage  = 500  // bytes shown to a client
	MaxWith     = 1024 // bytes of one replacement
)

// check returns an error for a verdict that does not match its question. An asker can describe such an error better,
// but what it misses must not reach the chain.
func (v *Verdict) check(q *Question) error {
	if len(v.Spans) > len(q.Pieces) {
		return errors.New("the guard's verdict is about texts that it was not asked about")
	}
	n := 0
	for i, spans := range v.Spans {
		text := q.Pieces[i].Text
		for _, s := range spans {
			switch {
			case s.Start < 0 || s.Start >= s.End || s.End > len(text) || !isBoundary(text, s.Start) || !isBoundary(text, s.End):
				return errors.New("a finding lies outside its text, or splits a character")
			case !IsLabel(s.Label):
				return errors.New("a finding lacks a label of small letters, digits and underscores")
			case !(s.Score >= 0 && s.Score <= 1):
				return errors.New("a finding has a score that is not between 0 and 1")
			case len(s.With) > MaxWith || !utf8.ValidString(s.With):
				return fmt.Errorf("a finding has a replacement of more than %d bytes, or of invalid UTF-8", MaxWith)
			}
		}
		n += len(spans)
	}
	if n > MaxFindings {
		return fmt.Errorf("the guard's verdict has more than %d findings", MaxFindings)
	}
	return nil
}

func isBoundary(text string, at int) bool { return at == len(text) || utf8.RuneStart(text[at]) }

// IsLabel reports whether s can be the label of a finding.
func IsLabel(s string) bool {
	if len(s) == 0 || len(s) > 63 || s[0] < 'a' || s[0] > 'z' {
		return false
	}
	for i := range len(s) {
		if c := s[i]; !('a' <= c && c <= 'z' || '0' <= c && c <= '9' || c == '_') {
			return false
		}
	}
	return true
}

// makePlaceholderType returns the TYPE of placeholders for a label, at most 31 bytes.
func makePlaceholderType(label string) string {
	return strings.TrimRight(strings.ToUpper(label[:min(len(label), 31)]), "_")
}
