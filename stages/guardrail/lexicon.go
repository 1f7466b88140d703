package guardrail

import (
	"bufio"
	_ "embed"
	"fmt"
	"strings"
	"sync"
	"unicode"
	"unicode/utf8"
)

//go:embed data/lexicon.txt
var lexiconFile string

//go:embed data/rules.txt
var rulesFile string

// lexicon maps words to the elements of attack rules that they fit.
type lexicon struct {
	rules    []rule
	families []string        // their names; rule.family is an index
	literals []string        // phrases, and words of scripts without spaces: found by an automaton
	ids      []uint16        // of each literal
	bounded  []bool          // a literal counts between words only
	phrased  map[uint32]bool // hashes of the words in literals

	slots  []slot     // hash table of words, a power of two
	known  hashFilter // of their hashes
	fits   []uint64
	width  int       // words of fits for each id
	start  [][]int32 // for each id: the rules that may start with it
	needed []uint16  // the elements of all rules, concatenated: most rules fail because one is missing
	needs  []int32   // start of each rule's elements in needed

	fitting    []uint16   // the elements that each id fits, concatenated
	fitsFrom   []int32    // start of each id's elements in fitting
	keys       []uint64   // the elements that are the rarest of a rule
	byRarest   []rareRule // the rules by their rarest element
	rarestFrom []int32    // start of each element's rules in byRarest

	anyGPT uint16 // of the word anygpt, which stands for all names that end so
}

type slot struct {
	hash uint32
	id   uint16
	text string
}

// rule is one line of the rule file.
type rule struct {
	label    uint8
	family   uint16
	score    float32
	planted  bool // the rule finds an order inside a document
	secret   bool // the rule finds a request for a secret
	across   bool // the elements may be in several sentences
	within   int  // if above 0: the elements may be in any order, within this many words
	elements []element
}

// element is one position of a rule, at which any of some words fits.
type element struct {
	number   int // its bit
	gap      int // how many words may precede it
	optional bool
}

// Labels of the attack rules.
const (
	labelInjection = iota
	labelJailbreak
	labels
)

// Elements for discount, which rules need not use.
const (
	metaElement = iota
	xmetaElement
	metaQuotedElement
	documentElement
	manageElement
	breachElement
	refrainElement
	ordinaryElement
	narratesElement
	concerningElement
	concernsElement
	otherElement
	youElement
	botElement
	howtoElement
	oneselfElement
	tellsElement
	followsElement
)

// ownClasses are the classes of these elements.
var ownClasses = [...]string{
	metaElement:       "@meta",
	xmetaElement:      "@xmeta",
	metaQuotedElement: "@metaquoted",
	documentElement:   "@document",
	manageElement:     "@manage",
	breachElement:     "@breach",
	refrainElement:    "@refrain",
	ordinaryElement:   "@ordinary",
	narratesElement:   "@narrates",
	concerningElement: "@concerning",
	concernsElement:   "@concerns",
	otherElement:      "@other",
	youElement:        "@you",
	botElement:        "@bot",
	howtoElement:      "@howto",
	oneselfElement:    "@oneself",
	tellsElement:      "@tells",
	followsElement:    "@follows",
}

// attackWords is built from the embedded files, which a test validates, when a detector first needs it. It takes 1.5 MB.
var attackWords = sync.OnceValue(func() *lexicon { return mustLexicon(lexiconFile, rulesFile) })

func mustLexicon(words, rules string) *lexicon {
	l, err := newLexicon(words, rules)
	if err != nil {
		panic("guardrail: embedded rules: " + err.Error())
	}
	return l
}

// visitDataLines returns the lines of a data file, without comments and empty lines, with their numbers.
func visitDataLines(text string, line func(n int, s string) error) error {
	sc := bufio.NewScanner(strings.NewReader(text))
	sc.Buffer(nil, 1<<20)
	for n := 1; sc.Scan(); n++ {
		s := strings.TrimSpace(sc.Text())
		if s == "" || strings.HasPrefix(s, "# ") || strings.HasPrefix(s, "version ") {
			continue
		}
		if err := line(n, s); err != nil {
			return fmt.Errorf("line %d: %w", n, err)
		}
	}
	return sc.Err()
}

type lexiconBuilder struct {
	l        *lexicon
	classes  map[string][]string // words of each class
	elements map[string]int      // by their spelling
	spelled  []string
	id       map[string]uint16
	words    []string // by id
}

func newLexicon(words, rules string) (*lexicon, error) {
	b := &lexiconBuilder{
		l:        new(lexicon),
		classes:  map[string][]string{},
		elements: map[string]int{},
		id:       map[string]uint16{},
		words:    []string{""},
	}
	err := visitDataLines(words, func(_ int, s string) error {
		f := strings.Fields(s)
		if !strings.HasPrefix(f[0], "@") || len(f) < 2 {
			return fmt.Errorf("a line is @class and its words")
		}
		for _, w := range f[1:] {
			b.classes[f[0]] = append(b.classes[f[0]], normalizeWord(w))
		}
		return nil
	})
	if err != nil {
		return nil, fmt.Errorf("lexicon: %w", err)
	}
	for _, c := range ownClasses {
		b.elements[c] = len(b.spelled)
		b.spelled = append(b.spelled, c)
	}
	if err := visitDataLines(rules, func(_ int, s string) error { return b.addRule(strings.Fields(s)) }); err != nil {
		return nil, fmt.Errorf("rules: %w", err)
	}
	b.finish()
	return b.l, nil
}

// normalizeWord returns a word as it appears in a view; _ is a space.
func normalizeWord(w string) string {
	return strings.ReplaceAll(strings.ReplaceAll(foldText(strings.ReplaceAll(w, "_", " ")), "'", ""), "\x1f", "")
}

func (b *lexiconBuilder) finish() {
	l := b.l
	l.width = (len(b.spelled) + 63) / 64
	l.fits = make([]uint64, l.width)
	for n, e := range b.spelled {
		for _, c := range strings.Split(e, "|") {
			if ws, ok := b.classes[c]; ok {
				for _, w := range ws {
					b.addWord(w, n)
				}
			} else {
				b.addWord(normalizeWord(c), n)
			}
		}
	}
	l.anyGPT, l.phrased = b.id["anygpt"], map[uint32]bool{}
	size := 1024
	for size < 4*len(b.words) {
		size *= 2
	}
	l.slots = make([]slot, size)
	for id, w := range b.words {
		if id == 0 {
			continue
		}
		if literal, bounded := isLiteral(w); literal {
			l.literals, l.ids, l.bounded = append(l.literals, w), append(l.ids, uint16(id)), append(l.bounded, bounded)
			l.addPhrase(w)
			continue
		}
		h := uint32(hashSeed)
		for i := range len(w) {
			h = (h ^ uint32(w[i])) * hashPrime
		}
		at := h
		for l.slots[at&uint32(size-1)].id != 0 {
			at++
		}
		l.slots[at&uint32(size-1)] = slot{h, uint16(id), w}
		l.known.add(h)
	}
	for k := range l.rules {
		l.needs = append(l.needs, int32(len(l.needed)))
		for _, e := range l.rules[k].elements {
			l.needed = append(l.needed, uint16(e.number))
		}
	}
	l.needs = append(l.needs, int32(len(l.needed)))
	l.groupByRarest(b.words)
	l.start = make([][]int32, len(b.words))
	for id := range b.words {
		for k := range l.rules {
			r := &l.rules[k]
			if l.matches(uint16(id), r.elements[0].number) {
				l.start[id] = append(l.start[id], int32(k))
			}
		}
	}
}

// addPhrase records the words of a literal.
func (l *lexicon) addPhrase(literal string) {
	var v view
	v.read(literal)
	v.ensureWords()
	for i := range v.words {
		l.phrased[v.words[i].hash] = true
	}
}

// addWord records that a word fits an element.
func (b *lexiconBuilder) addWord(w string, element int) {
	if w == "" {
		return
	}
	b.l.fits[int(b.internWord(w))*b.l.width+element/64] |= 1 << (element % 64)
}

// internWord returns the id of a word, and creates one if necessary.
func (b *lexiconBuilder) internWord(w string) uint16 {
	id, ok := b.id[w]
	if !ok {
		id = uint16(len(b.words))
		b.id[w], b.words = id, append(b.words, w)
		b.l.fits = append(b.l.fits, make([]uint64, b.l.width)...)
	}
	return id
}

// matches reports whether the word with an id fits an element.
func (l *lexicon) matches(id uint16, element int) bool {
	return l.fits[int(id)*l.width+element>>6]>>(element&63)&1 != 0
}

// isLiteral reports whether a text is anything but a single word of a script with spaces; bounded says that it must be
// between words.
func isLiteral(w string) (literal, bounded bool) {
	for _, r := range w {
		if isUnspaced(r) || unicode.Is(unicode.Hangul, r) {
			return true, false
		}
		if r < utf8.RuneSelf && kinds[byte(r)] != kindWord {
			literal = true
		}
	}
	return literal, literal
}
