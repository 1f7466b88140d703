package dsl

import (
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
)

// Glob is a pattern in which * matches any text, including "/" and ":", and ? any one byte. It is case-sensitive.
type Glob struct {
	Text string
	form globForm
	part string // of the forms that need no search
}

type globForm uint8

const (
	globExact globForm = iota
	globPrefix
	globSuffix
	globEvery
	globGeneral
)

// NewGlob prepares a pattern for matching.
func NewGlob(text string) Glob {
	stars, marks := strings.Count(text, "*"), strings.Count(text, "?")
	g := Glob{Text: text, form: globGeneral}
	switch {
	case stars+marks == 0:
		g.form = globExact
	case text == "*":
		g.form = globEvery
	case marks == 0 && stars == 1 && strings.HasSuffix(text, "*"):
		g.form, g.part = globPrefix, text[:len(text)-1]
	case marks == 0 && stars == 1 && strings.HasPrefix(text, "*"):
		g.form, g.part = globSuffix, text[1:]
	}
	return g
}

// Matches reports whether s matches.
func (g *Glob) Matches(s string) bool {
	switch g.form {
	case globExact:
		return s == g.Text
	case globPrefix:
		return strings.HasPrefix(s, g.part)
	case globSuffix:
		return strings.HasSuffix(s, g.part)
	case globEvery:
		return true
	}
	return match.MatchesGlob(g.Text, s)
}

// MatchesFold is Matches without regard to case, for the names of models.
func (g *Glob) MatchesFold(s string) bool {
	return g.form == globEvery && !match.IsTool(s) || match.MatchesModel(g.Text, s)
}

// IsExact reports whether only one text matches the pattern.
func (g *Glob) IsExact() bool { return g.form == globExact }

func matchesAny(globs []Glob, s string) bool {
	for i := range globs {
		if globs[i].Matches(s) {
			return true
		}
	}
	return false
}

// normalizeProvider returns the name that a provider's alias stands for.
func normalizeProvider(s string) string {
	if s == "azure" {
		return "azure-openai"
	}
	return s
}
