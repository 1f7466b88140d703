package pii

import (
	"errors"
	"fmt"
	"regexp"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/body/match"
)

// Custom is an operator's type: a regular expression, a list of words, or both.
//
// Both match the raw text line by line, and a line of more than LineMax bytes in pieces of that length; '^' and '$' are the
// ends of the line or piece. A stream is held to the end of the line, so that the result does not depend on how it is cut.
type Custom struct {
	// Name is the type: capitals, digits and '_', as in placeholders.
	Name string `yaml:"name"`
	// Regex has RE2 syntax. Matching takes time linear in the text.
	Regex string `yaml:"regex"`
	// Words are matched as whole words, ignoring the case of ASCII letters.
	Words []string `yaml:"words"`
	// Score is the confidence of a match, 0 to 1; by default 1.
	Score float32 `yaml:"score"`
}

// LineMax is how many bytes of one line a custom type sees at once.
const LineMax = 4096

const (
	customRegexMax = 1000    // bytes of one expression
	customWordsMax = 100_000 // words of one list
	customWordMax  = 256     // bytes of one word
)

// customTypes are the custom types of an engine.
type customTypes struct{ list []customType }

type customType struct {
	name  string
	score float32
	regex *regexp.Regexp
	words *match.Automaton
}

// newCustomTypes compiles the custom types.
func newCustomTypes(list []Custom) (*customTypes, error) {
	if len(list) == 0 {
		return nil, nil
	}
	c := new(customTypes)
	seen := map[string]bool{}
	for i := range list {
		one, err := newCustomType(&list[i])
		if err != nil {
			return nil, fmt.Errorf("custom pii type %q: %w", list[i].Name, err)
		}
		if seen[one.name] {
			return nil, fmt.Errorf("custom pii type %q: duplicate name", one.name)
		}
		seen[one.name] = true
		c.list = append(c.list, one)
	}
	return c, nil
}

var customName = regexp.MustCompile(`^[A-Z][A-Z0-9_]{0,30}$`)

func newCustomType(o *Custom) (c customType, err error) {
	switch {
	case !customName.MatchString(o.Name):
		return c, errors.New("a name is 1 to 31 capitals, digits and '_', and starts with a capital")
	case findRow(o.Name) >= 0:
		return c, errors.New("a built-in type has this name: choose another")
	case o.Regex == "" && len(o.Words) == 0:
		return c, errors.New("write a regex, words, or both")
	case o.Score < 0 || o.Score > 1 || o.Score != o.Score:
		return c, fmt.Errorf("score %v is not between 0 and 1", o.Score)
	case len(o.Regex) > customRegexMax:
		return c, fmt.Errorf("the regex has %d bytes, at most %d are allowed", len(o.Regex), customRegexMax)
	case len(o.Words) > customWordsMax:
		return c, fmt.Errorf("%d words, at most %d are allowed", len(o.Words), customWordsMax)
	}
	c = customType{name: o.Name, score: o.Score}
	if c.score == 0 {
		c.score = 1
	}
	if o.Regex != "" {
		if c.regex, err = regexp.Compile(o.Regex); err != nil {
			return c, fmt.Errorf("the regex is not in the syntax of RE2: %w", err)
		}
		if c.regex.MatchString("") {
			return c, errors.New("the regex matches the empty text; require at least one character")
		}
	}
	if len(o.Words) == 0 {
		return c, nil
	}
	for i, w := range o.Words {
		if strings.TrimSpace(w) == "" || len(w) > customWordMax || strings.ContainsAny(w, "\n") {
			return c, fmt.Errorf("word %d is empty, longer than %d bytes, or has a line break", i+1, customWordMax)
		}
	}
	c.words = match.New(o.Words, match.Options{FoldCase: true})
	return c, nil
}

// findLineEnd returns the end of the line, or of the piece of a long line, that starts at i.
func findLineEnd(text string, i int) int {
	end := min(len(text), i+LineMax)
	if n := strings.IndexByte(text[i:end], '\n'); n >= 0 {
		return i + n + 1
	}
	if end < len(text) {
		for end > i+1 && !utf8.RuneStart(text[end]) {
			end--
		}
	}
	return end
}

// find appends the matches in text[from:] until the limits of s stop it. from is the start of a line or piece.
func (c *customTypes) find(s *scan, dst []Match, text string, from int) []Match {
	s.pause = 0
	for i := from; i < len(text); {
		// Overlapping matches are merged later, so there may be more here than at the end.
		if len(dst)/(len(c.list)+1) > s.limit {
			s.stopped = errTooMany
			break
		}
		if i >= s.pause && s.stops(i) {
			break
		}
		s.pause = min(s.pause, i+stopEvery/len(c.list)) // each type reads the text once
		end := findLineEnd(text, i)
		for k := range c.list {
			dst = c.list[k].find(dst, strings.TrimRight(text[i:end], "\r\n"), i)
		}
		i = end
	}
	return dst
}

func (c *customType) find(dst []Match, line string, base int) []Match {
	if c.regex != nil {
		for at := 0; at < len(line); {
			m := c.regex.FindStringIndex(line[at:])
			if m == nil {
				break
			}
			from, to := at+m[0], at+m[1]
			if from < to && hasRuneEnds(line, from, to) {
				dst = append(dst, Match{base + from, base + to, c.name, c.score})
			}
			at = max(to, at+1)
			for at < len(line) && !utf8.RuneStart(line[at]) {
				at++
			}
		}
	}
	if c.words != nil {
		for _, m := range c.words.AppendLongest(nil, line) {
			from, to := int(m.Start), int(m.End)
			begins := from == 0 || !isWordByte(line[from-1]) || !isWordByte(line[from])
			ends := to == len(line) || !isWordByte(line[to]) || !isWordByte(line[to-1])
			if begins && ends && hasRuneEnds(line, from, to) {
				dst = append(dst, Match{base + from, base + to, c.name, c.score})
			}
		}
	}
	return dst
}

func hasRuneEnds(t string, from, to int) bool {
	return utf8.RuneStart(t[from]) && (to == len(t) || utf8.RuneStart(t[to]))
}

// findLineBefore moves a cut back to the start of a line or piece. from is such a start.
func findLineBefore(text string, from, cut int) int {
	i := from
	for i < cut {
		end := findLineEnd(text, i)
		if end > cut || end == len(text) && end-i < LineMax-utf8.UTFMax && text[end-1] != '\n' {
			return i
		}
		i = end
	}
	return i
}
