package guardrail

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
)

// How words are matched.
const (
	matchWord      = "word"      // between words: "hell" is not in "shell"
	matchSubstring = "substring" // anywhere
)

// literals finds words of a list: keywords, competitors, canaries.
type literals struct {
	e     *engine
	score float32
}

func newKeywords(d *detectorSettings, e *engine) (detector, error) {
	switch d.Match {
	case "", matchWord, matchSubstring:
	default:
		return nil, fmt.Errorf("match %q: write %s or %s", d.Match, matchWord, matchSubstring)
	}
	if len(d.Words) == 0 {
		return nil, fmt.Errorf("words is empty: write the words to look for")
	}
	return &literals{e, 1}, addLiterals(e, d.Words, d.Match != matchSubstring)
}

func newCompetitor(d *detectorSettings, e *engine) (detector, error) {
	if len(d.Names) == 0 {
		return nil, fmt.Errorf("names is empty: write the names of the competitors")
	}
	return &literals{e, 1}, addLiterals(e, d.Names, true)
}

func addLiterals(e *engine, words []string, bounded bool) error {
	for i, w := range words {
		if err := e.addLiteral(w, i, bounded); err != nil {
			return err
		}
	}
	return nil
}

func (l *literals) detect(c *check, dst []finding) []finding {
	l.e.visitHits(c, func(h match.Hit, _ literalUse) {
		start, end := c.v.findRawSpan(int(h.Start), int(h.End))
		dst = append(dst, finding{start: start, end: end, score: l.score})
	})
	return dst
}

// topics finds texts that use several words of a list.
type topics struct {
	e     *engine
	names []string // by group
	need  int
}

// defaultTopicHits is how many different words make a topic.
const defaultTopicHits = 2

func newTopic(d *detectorSettings, e *engine) (detector, error) {
	if len(d.Topics) == 0 {
		return nil, fmt.Errorf("topics is empty: write {name: [words…]}")
	}
	t := &topics{e: e, need: d.MinHits}
	if t.need == 0 {
		t.need = defaultTopicHits
	}
	if t.need < 0 {
		return nil, fmt.Errorf("min_hits %d: write a positive number", d.MinHits)
	}
	for _, name := range slices.Sorted(maps.Keys(d.Topics)) {
		words := d.Topics[name]
		if len(words) < t.need {
			return nil, fmt.Errorf("topic %q has %d words and needs %d to be found: add words or lower min_hits", name, len(words), t.need)
		}
		for _, w := range words {
			if err := e.addLiteral(w, len(t.names), true); err != nil {
				return nil, fmt.Errorf("topic %q: %w", name, err)
			}
		}
		t.names = append(t.names, d.Name+"/"+name)
		if d.Name == "" {
			t.names[len(t.names)-1] = d.Type + "/" + name
		}
	}
	return t, nil
}

func (t *topics) detect(c *check, dst []finding) []finding {
	w := c.w
	for group, name := range t.names {
		w.seen = w.seen[:0]
		t.e.visitHits(c, func(h match.Hit, use literalUse) {
			if n := uint32(h.Literal); use.group == group && !slices.Contains(w.seen, n) {
				w.seen = append(w.seen, n)
			}
		})
		if n := len(w.seen); n > 0 {
			dst = append(dst, finding{end: len(c.v.raw), score: min(1, 0.5*float32(n)/float32(t.need)), label: name})
		}
	}
	return dst
}

// newToxicity returns a detector for words of the embedded list and of the operator's list.
func newToxicity(d *detectorSettings, e *engine) (detector, error) {
	t := &toxicity{e: e}
	err := visitDataLines(toxicityFile, func(_ int, s string) error {
		var score float32
		word, _, _ := strings.Cut(s, "\t")
		if _, err := fmt.Sscanf(s, "%s\t%f", &word, &score); err != nil {
			return fmt.Errorf("a line is a word, a tab and its score: %w", err)
		}
		t.scores = append(t.scores, score)
		return e.addLiteral(strings.ReplaceAll(word, "_", " "), len(t.scores)-1, true)
	})
	if err != nil {
		return nil, err
	}
	for _, w := range d.Words {
		t.scores = append(t.scores, 1)
		if err := e.addLiteral(w, len(t.scores)-1, true); err != nil {
			return nil, err
		}
	}
	return t, nil
}

type toxicity struct {
	e      *engine
	scores []float32
}

func (t *toxicity) detect(c *check, dst []finding) []finding {
	t.e.visitHits(c, func(h match.Hit, use literalUse) {
		start, end := c.v.findRawSpan(int(h.Start), int(h.End))
		dst = append(dst, finding{start: start, end: end, score: t.scores[use.group]})
	})
	return dst
}
