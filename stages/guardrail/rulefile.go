package guardrail

import (
	"fmt"
	"slices"
	"strconv"
	"strings"
)

func (b *lexiconBuilder) addRule(f []string) error {
	if len(f) < 4 {
		return fmt.Errorf("a rule is label, score, family and elements")
	}
	r := rule{}
	switch f[0] {
	case "injection":
		r.label = labelInjection
	case "jailbreak":
		r.label = labelJailbreak
	default:
		return fmt.Errorf("label %q", f[0])
	}
	score, err := strconv.ParseFloat(f[1], 32)
	if err != nil || score <= 0 || score > 1 {
		return fmt.Errorf("score %q", f[1])
	}
	r.score = float32(score)
	family := f[0] + "/" + f[2]
	k := slices.Index(b.l.families, family)
	if k < 0 {
		k = len(b.l.families)
		b.l.families = append(b.l.families, family)
	}
	r.family, r.planted = uint16(k), f[2] == "planted"
	r.secret = f[2] == "secret" || f[2] == "authority"
	gap := 0
	for _, e := range f[3:] {
		switch {
		case strings.HasPrefix(e, "~"), strings.HasPrefix(e, "!"):
			r.across = e[0] == '!'
			if r.within, err = strconv.Atoi(e[1:]); err != nil {
				return fmt.Errorf("window %q", e)
			}
		case strings.HasPrefix(e, ".."):
			if gap, err = strconv.Atoi(e[2:]); err != nil {
				return fmt.Errorf("gap %q", e)
			}
		default:
			el := element{gap: gap}
			if strings.HasSuffix(e, "?") {
				el.optional, e = true, e[:len(e)-1]
			}
			gap = 0
			n, ok := b.elements[e]
			if !ok {
				n = len(b.spelled)
				b.elements[e] = n
				b.spelled = append(b.spelled, e)
				for _, c := range strings.Split(e, "|") {
					if strings.HasPrefix(c, "@") && b.classes[c] == nil {
						return fmt.Errorf("unknown class %s", c)
					}
				}
			}
			el.number = n
			r.elements = append(r.elements, el)
		}
	}
	if len(r.elements) == 0 || r.elements[0].optional {
		return fmt.Errorf("a rule must not start with an optional element")
	}
	b.addVariants(r, 0)
	return nil
}

// contractions maps contracted words, without their apostrophe, to two words.
var contractions = []struct{ first, second, both string }{
	{"you", "are", "youre"},
	{"you", "have", "youve"},
	{"you", "will", "youll"},
	{"i", "am", "im"},
	{"i", "have", "ive"},
	{"what", "is", "whats"},
	{"who", "is", "whos"},
	{"where", "is", "wheres"},
	{"let", "us", "lets"},
}

// findContraction returns the element of contractions that are equivalent to two consecutive elements. ok is false if no
// contraction is.
func (b *lexiconBuilder) findContraction(first, second int) (number int, ok bool) {
	in := func(element int, word string) bool {
		for _, c := range strings.Split(b.spelled[element], "|") {
			if c == word || slices.Contains(b.classes[c], word) {
				return true
			}
		}
		return false
	}
	var words []string
	for _, c := range contractions {
		if in(first, c.first) && in(second, c.second) {
			words = append(words, c.both)
		}
	}
	if words == nil {
		return 0, false
	}
	spec := strings.Join(words, "|")
	number, ok = b.elements[spec]
	if !ok {
		number = len(b.spelled)
		b.elements[spec], b.spelled = number, append(b.spelled, spec)
	}
	return number, true
}

// addVariants adds a rule with and without each of its optional elements. An omitted element adds its gap to the next.
// Contractions of two elements become additional rules.
func (b *lexiconBuilder) addVariants(r rule, from int) {
	for i := from; i < len(r.elements); i++ {
		if !r.elements[i].optional {
			continue
		}
		without := r
		without.elements = slices.Delete(slices.Clone(r.elements), i, i+1)
		if i < len(without.elements) {
			without.elements[i].gap = max(without.elements[i].gap, r.elements[i].gap)
		}
		b.addVariants(without, i)
	}
	b.l.rules = append(b.l.rules, r)
	if r.within > 0 {
		return
	}
	for i := 0; i+1 < len(r.elements); i++ {
		if n, ok := b.findContraction(r.elements[i].number, r.elements[i+1].number); ok {
			short := r
			short.elements = slices.Delete(slices.Clone(r.elements), i+1, i+2)
			short.elements[i].number = n
			b.l.rules = append(b.l.rules, short)
		}
	}
}
