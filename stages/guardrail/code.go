package guardrail

import (
	"fmt"
	"strconv"
	"strings"
)

// code finds source code by its fences, punctuation and the shapes of common
// statements: programming languages, shells, SQL, markup. A word that is also a keyword
// does not count alone. One line of an unusual language is missed.
type code struct{}

func newCode(*detectorSettings, *engine) (detector, error) { return code{}, nil }

func (code) detect(c *check, dst []finding) []finding {
	s := c.v.raw
	score, from, to := float32(0), len(s), 0
	mark := func(start, end int, weight float32) {
		score = 1 - (1-score)*(1-weight)
		from, to = min(from, start), max(to, end)
	}
	if i := strings.Index(s, "```"); i >= 0 {
		mark(i, len(s), 0.9)
	} else if i := strings.Index(s, "~~~\n"); i >= 0 {
		mark(i, len(s), 0.7)
	}
	for at := 0; at < len(s); {
		end := strings.IndexByte(s[at:], '\n')
		if end < 0 {
			end = len(s)
		} else {
			end += at
		}
		if !c.w.pace.spendSteps(end - at + 1) {
			return dst
		}
		if w := scoreCodeLine(s[at:end]); w > 0 {
			mark(at, end, w)
		}
		at = end + 1
	}
	if score > 0 {
		dst = append(dst, finding{start: from, end: to, score: score})
	}
	return dst
}

// shape is a pattern of a line of code: a text, and texts that must follow it.
type shape struct {
	text   string
	needs  []string // in this order
	weight float32
}

// codeShapes are the shapes of the data file: those at the start of a line, by their first byte, and those that may occur
// anywhere in it.
var codeShapes = func() (c struct {
	begins [256][]shape
	inside []shape
},
) {
	err := visitDataLines(codeFile, func(_ int, line string) error {
		f := strings.Split(line, "\t")
		if len(f) < 3 {
			return fmt.Errorf("a line is where, weight and texts")
		}
		w, err := strconv.ParseFloat(f[1], 32)
		if err != nil || w <= 0 || w > 1 {
			return fmt.Errorf("weight %q", f[1])
		}
		var texts []string
		for _, q := range f[2:] {
			t, err := strconv.Unquote(q)
			if err != nil || t == "" {
				return fmt.Errorf("text %s", q)
			}
			texts = append(texts, t)
		}
		sh := shape{texts[0], texts[1:], float32(w)}
		switch f[0] {
		case "begins":
			c.begins[sh.text[0]] = append(c.begins[sh.text[0]], sh)
		case "inside":
			c.inside = append(c.inside, sh)
		default:
			return fmt.Errorf("place %q", f[0])
		}
		return nil
	})
	if err != nil {
		panic("guardrail: embedded shapes of code: " + err.Error())
	}
	return c
}()

// scoreCodeLine weighs one line.
func scoreCodeLine(line string) float32 {
	t := strings.TrimLeft(line, " \t")
	if t == "" {
		return 0
	}
	best := float32(0)
	for _, sh := range codeShapes.begins[t[0]] {
		if sh.weight <= best || !strings.HasPrefix(t, sh.text) {
			continue
		}
		rest, ok := t[len(sh.text):], true
		for _, n := range sh.needs {
			k := strings.Index(rest, n)
			if k < 0 {
				ok = false
				break
			}
			rest = rest[k+len(n):]
		}
		if ok {
			best = sh.weight
		}
	}
	if strings.ContainsAny(t, "=(){};|&<>$[") {
		miss := 1 - best
		for _, sh := range codeShapes.inside {
			if strings.Contains(t, sh.text) {
				miss *= 1 - sh.weight
			}
		}
		best = 1 - miss
		best = 1 - (1-best)*(1-scoreAssignment(t))
		if last := t[len(t)-1]; (last == ';' || last == '{') && strings.ContainsAny(t, "=(") {
			best = 1 - (1-best)*0.5
		}
	}
	return best
}

// scoreAssignment weighs lines like x = f(y), and rules of style sheets.
func scoreAssignment(t string) float32 {
	if open := strings.Index(t, " {"); open > 0 {
		if colon := strings.IndexByte(t[open:], ':'); colon > 0 && strings.ContainsAny(t[open+colon:], ";}") {
			return 0.5
		}
	}
	name, value, ok := strings.Cut(t, " = ")
	if !ok || value == "" || strings.ContainsAny(name, " $%") {
		return 0
	}
	switch value[len(value)-1] {
	case ')', ']', '}', ';', '"', '\'':
		return 0.6
	}
	return 0.2
}
