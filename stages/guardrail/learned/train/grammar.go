package main

import (
	"bufio"
	"fmt"
	"math/rand/v2"
	"os"
	"strings"
)

// line is a line of a grammar: a text with choices, {a|b} and <list>.
type line struct {
	family, label, text string
	number              int
}

// grammar is a file of lines with the lists that they draw from.
type grammar struct {
	lists map[string][]string
	lines []line
}

// readGrammar reads a file. Lines without "# family label" headings have a label as their first word if labelled
// is set, and belong to one family.
func readGrammar(path, family string, labelled bool) (*grammar, error) {
	f, err := os.Open(path)
	if err != nil {
		return nil, err
	}
	defer f.Close()
	g := &grammar{lists: map[string][]string{}}
	at := line{family: family}
	sc := bufio.NewScanner(f)
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		text := sc.Text()
		switch {
		case strings.HasPrefix(text, "# ") && len(strings.Fields(text)) == 3 && !labelled && family == "":
			w := strings.Fields(text)
			at.family, at.label = w[1], w[2]
			continue
		case text == "" || strings.HasPrefix(text, "# ") && (labelled || family != "" || at.family == ""):
			continue
		case strings.HasPrefix(text, "@") && strings.Contains(text, " ") && !labelled && family == "":
			name, words, _ := strings.Cut(text[1:], " ")
			g.lists[name] = strings.Split(words, "|")
			continue
		}
		at.text, at.number = text, n
		if labelled {
			at.label, at.text, _ = strings.Cut(text, " ")
			at.family = family + "-" + at.label
		}
		g.lines = append(g.lines, at)
	}
	if len(g.lines) == 0 {
		return nil, fmt.Errorf("%s has no lines", path)
	}
	return g, sc.Err()
}

// expand writes a line with randomly drawn choices.
func (g *grammar) expand(r *rand.Rand, text string) string {
	for range 8 { // lists may name lists
		var b strings.Builder
		again := false
		for rest := text; rest != ""; {
			i := strings.IndexByte(rest, '<')
			if i < 0 {
				b.WriteString(rest)
				break
			}
			b.WriteString(rest[:i])
			end := strings.IndexByte(rest[i:], '>')
			list, ok := []string(nil), false
			if end > 0 {
				list, ok = g.lists[rest[i+1:i+end]]
			}
			if !ok {
				b.WriteByte('<')
				rest = rest[i+1:]
				continue
			}
			b.WriteString(list[r.IntN(len(list))])
			rest, again = rest[i+end+1:], true
		}
		if text = b.String(); !again {
			break
		}
	}
	for {
		open := strings.LastIndexByte(text, '{')
		for open >= 0 { // braces of JSON have no choice in them
			end := strings.IndexByte(text[open:], '}')
			if end > 0 && strings.IndexByte(text[open:open+end], '|') > 0 {
				c := strings.Split(text[open+1:open+end], "|")
				text = text[:open] + c[r.IntN(len(c))] + text[open+end+1:]
				break
			}
			open = strings.LastIndexByte(text[:open], '{')
		}
		if open < 0 {
			return strings.ReplaceAll(text, `\n`, "\n")
		}
	}
}
