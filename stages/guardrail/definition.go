package guardrail

import (
	_ "embed"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core/body/match"
)

//go:embed data/definitions.txt
var definitionsFile string

// definitionRules is built from the embedded file when a definition is first judged.
var definitionRules = sync.OnceValue(func() *lexicon {
	var words, rules strings.Builder
	for line := range strings.Lines(definitionsFile) {
		if strings.HasPrefix(line, "@") {
			words.WriteString(line)
		} else {
			rules.WriteString(line)
		}
	}
	return mustLexicon(words.String(), rules.String())
})

// definitionLiterals is the automaton of the literals of these rules, and longest the length of the longest one.
var definitionLiterals = sync.OnceValue(func() (l struct {
	auto    *match.Automaton
	longest int
},
) {
	for _, s := range definitionRules().literals {
		l.longest = max(l.longest, len(s))
	}
	l.auto = match.New(definitionRules().literals, match.Options{AnySpaces: true})
	return l
})

// definitionScan looks for what the definition of a tool must not ask of a model. Its buffers are reused.
type definitionScan struct {
	view  view
	seen  presence
	found []found
	best  []float32 // score of each family
}

// judge returns the score of a definition's text, and where in it the strongest evidence is. Unlike the rules for other texts,
// these need no second opinion of the model, which has learned from requests and not from definitions.
func (d *definitionScan) judge(v *view) (f finding) {
	lex := definitionRules()
	d.view.pace = v.pace
	d.view.read(v.raw)
	literals := definitionLiterals()
	d.view.hits = appendHits(d.view.hits[:0], literals.auto, d.view.norm, literals.longest, v.pace)
	lex.nameWords(&d.view, 0)
	d.seen.reset()
	if d.found = lex.match(d.found[:0], &d.view, &d.seen); len(d.found) == 0 {
		return f
	}
	if d.best == nil {
		d.best = make([]float32, len(lex.families))
	}
	clear(d.best)
	strongest := float32(0)
	for _, hit := range d.found {
		r := &lex.rules[hit.rule]
		d.best[r.family] = max(d.best[r.family], hit.score)
		if hit.score > strongest {
			strongest = hit.score
			f.start, f.end = d.view.findRawSpan(int(hit.start), int(hit.end))
		}
	}
	miss := float32(1)
	for _, s := range d.best {
		miss *= 1 - s
	}
	f.score = 1 - miss
	return f
}
