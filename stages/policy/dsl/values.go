package dsl

import (
	"fmt"
	"math"
	"net/textproto"
	"strings"
)

// matchesText compares a single text.
func (t *Test) matchesText(s string) bool {
	return matchesAny(t.Globs, s) == (t.Op == OpIn)
}

// matchesModel compares all names of the model. A list of allowed models must contain the name that the client requested and,
// in one of its spellings, the name that is sent, so that a route cannot evade either kind of list.
func (t *Test) matchesModel(f *Facts) bool {
	asked, sent := t.matchesNames(f.Asked[:]), t.matchesNames(f.Sent[:])
	if t.Op == OpIn {
		return asked || sent
	}
	return !asked || f.Sent != [3]string{} && !sent
}

func (t *Test) matchesNames(list []string) bool {
	for _, s := range list {
		if s == "" {
			continue
		}
		for i := range t.Globs {
			if t.Globs[i].MatchesFold(s) {
				return true
			}
		}
	}
	return false
}

// matchesList compares the elements of a list.
func (t *Test) matchesList(list []string) bool {
	switch t.Op {
	case OpAny:
		for _, s := range list {
			if matchesAny(t.Globs, s) {
				return true
			}
		}
	case OpOther:
		for _, s := range list {
			if !matchesAny(t.Globs, s) {
				return true
			}
		}
	case OpAll:
		for i := range t.Globs {
			found := false
			for _, s := range list {
				found = found || t.Globs[i].Matches(s)
			}
			if !found {
				return false
			}
		}
		return true
	}
	return false
}

// matchesValue compares a value of metadata: a scalar, or a list of which one element matches.
func (t *Test) matchesValue(v any) bool {
	switch v := v.(type) {
	case nil:
		return false
	case []any:
		for _, e := range v {
			if t.matchesValue(e) {
				return true
			}
		}
		return false
	case map[string]any:
		return false
	}
	return t.matchesText(formatScalar(v))
}

// formatScalar formats a value of metadata as patterns are written.
func formatScalar(v any) string {
	switch v := v.(type) {
	case string:
		return v
	case float64:
		if v == math.Trunc(v) && math.Abs(v) < 1<<53 {
			return fmt.Sprintf("%d", int64(v))
		}
	}
	return fmt.Sprint(v)
}

func (t *Test) matchesHeader(f *Facts) bool {
	for _, v := range f.Header[t.Key] {
		if t.matchesText(v) {
			return true
		}
	}
	return false
}

// normalizeHeader returns a header's name as maps of headers spell it.
func normalizeHeader(name string) string { return textproto.CanonicalMIMEHeaderKey(name) }

// matchesLabels compares findings that reach MinScore.
func (t *Test) matchesLabels(list []Label) bool {
	n := 0
	for i := range list {
		l := &list[i]
		if l.Score < t.MinScore || len(t.Globs) > 0 && !matchesAny(t.Globs, l.Name) {
			continue
		}
		n += l.Count
	}
	if t.Op == OpRange {
		return t.Range.Holds(float64(n))
	}
	return n > 0
}

// parseDecimal returns the score in its usual notation: 0.7 in 32 bits is slightly less.
func (l *Label) parseDecimal() float64 { return math.Round(float64(l.Score)*1e6) / 1e6 }

func findScore(list []Label, name string) float64 {
	for i := range list {
		if list[i].Name == name {
			return list[i].parseDecimal()
		}
	}
	return 0
}

// lowerASCII converts an ASCII name to lower case.
func lowerASCII(s string) string { return strings.ToLower(s) }

// isSecretHeader reports whether a header carries a credential, which no rule may read.
func isSecretHeader(name string) bool {
	switch normalizeHeader(name) {
	case "Authorization", "Proxy-Authorization", "Cookie", "X-Api-Key", "X-Goog-Api-Key", "X-Gen-Api-Key":
		return true
	}
	return false
}
