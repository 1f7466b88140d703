package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"slices"
	"strings"
	"unicode"

	"github.com/headgate-dev/headgate/stages/internal/figures"
	"github.com/headgate-dev/headgate/stages/pii"
)

// contextFills is how often each text of contexts.txt is filled.
const contextFills = 5

var unescape = strings.NewReplacer(`\n`, "\n", `\t`, "\t")

// measureContexts judges the texts of testdata/contexts.txt, filled with random values: how many of the six types are found, and how many
// findings are values, and writes each miss to misses. A text without a random part counts once.
func measureContexts(t figures.Table, dir string, misses io.Writer) error {
	data, err := os.ReadFile(filepath.Join(dir, "testdata", "contexts.txt"))
	if err != nil {
		return err
	}
	engines := map[string]*pii.Engine{}
	for i, line := range strings.Split(string(data), "\n") {
		region, text, ok := strings.Cut(line, "|")
		if !ok || strings.HasPrefix(line, "#") {
			continue
		}
		if engines[region] == nil {
			if engines[region], err = pii.NewEngine(pii.Options{Region: region}); err != nil {
				return err
			}
		}
		seen := map[string]bool{}
		for fill := range contextFills {
			c, lookAlikes, err := fillContext(newFiller(region, uint64(i), uint64(fill)), unescape.Replace(text))
			if err != nil {
				return fmt.Errorf("contexts.txt: line %d: %w", i+1, err)
			}
			if seen[c.Text] {
				continue
			}
			seen[c.Text] = true
			c.judgeContext(t, engines[region].Detect(nil, c.Text), lookAlikes, misses)
		}
	}
	return nil
}

// fillContext fills a text and returns it with its values and the look-alikes in it. Braces of the text itself stay.
func fillContext(f *filler, text string) (c labelled, lookAlikes []pii.Match, err error) {
	c.Scope = sixTypes
	var b strings.Builder
	for text != "" {
		before, rest, ok := strings.Cut(text, "{")
		b.WriteString(before)
		if !ok {
			break
		}
		name, after, closed := strings.Cut(rest, "}")
		start := b.Len()
		kind, style, _ := strings.Cut(name, ":")
		switch {
		case closed && slices.Contains(sixTypes, kind):
			b.WriteString(f.makeValue(kind, style))
			c.Spans = append(c.Spans, pii.Match{Type: kind, Start: start, End: b.Len()})
		case closed && strings.HasPrefix(name, "="):
			b.WriteString(name[1:])
			lookAlikes = append(lookAlikes, pii.Match{Start: start, End: b.Len()})
		case closed && isLookAlike(name):
			b.WriteString(f.makeLookAlike(name))
			lookAlikes = append(lookAlikes, pii.Match{Start: start, End: b.Len()})
		case closed && strings.IndexFunc(name, isNoLetter) < 0:
			return c, nil, fmt.Errorf("nothing is named %q", name)
		default: // a brace of the text itself
			b.WriteByte('{')
			text = rest
			continue
		}
		text = after
	}
	c.Text = b.String()
	return c, lookAlikes, nil
}

func isNoLetter(c rune) bool { return !unicode.IsLetter(c) }

// judgeContext counts what was found in a text. A value is found if findings of its type cover all its letters and digits; a finding is
// right if it shares a byte with a value of its type; a look-alike is left alone if no finding of the six types shares a byte with it.
// It writes each miss to misses.
func (c *labelled) judgeContext(t figures.Table, found, lookAlikes []pii.Match, misses io.Writer) {
	write := func(what string, m pii.Match) {
		_, _ = fmt.Fprintf(misses, "%s %s %q in %q\n", what, m.Type, c.Text[m.Start:m.End], c.Text)
	}
	found = slices.DeleteFunc(found, func(m pii.Match) bool { return !slices.Contains(sixTypes, m.Type) })
	meets := func(a, b pii.Match) bool { return a.Start < b.End && b.Start < a.End }
	for _, want := range c.Spans {
		covered := true
		for i := want.Start; i < want.End; i++ {
			b := rune(c.Text[i])
			covered = covered && (isNoLetter(b) && !unicode.IsDigit(b) || slices.ContainsFunc(found, func(m pii.Match) bool {
				return m.Type == want.Type && m.Start <= i && i < m.End
			}))
		}
		t.Add("contexts, recall, "+want.Type, covered)
		t.Add("contexts, recall, all six", covered)
		if !covered {
			write("missed", want)
		}
	}
	for _, m := range found {
		right := slices.ContainsFunc(c.Spans, func(want pii.Match) bool { return m.Type == want.Type && meets(m, want) })
		t.Add("contexts, precision, "+m.Type, right)
		t.Add("contexts, precision, all six", right)
		if !right {
			write("wrong", m)
		}
	}
	for _, l := range lookAlikes {
		t.Add("contexts, look-alikes left alone", !slices.ContainsFunc(found, func(m pii.Match) bool { return meets(m, l) }))
	}
}
