package pii

import (
	"fmt"
	"math/rand/v2"
	"strings"
	"sync"
	"testing"
	"unicode/utf8"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// newUngatedEngine returns an engine whose triggers hold at all of their bytes, and that looks every word up.
func newUngatedEngine(t testing.TB, o Options) *Engine {
	e := engine(t, o)
	n := &e.numbers
	n.early, n.single = ^uint32(0), ^uint32(0)
	for _, table := range [][]uint32{n.first[:], n.groups[:], n.before[:], n.behind[:]} {
		for i := range table {
			table[i] = ^uint32(0)
		}
	}
	m := &e.marks
	for i := range 256 {
		m.before[i], m.behind[i] = ^uint64(0), ^uint64(0)
	}
	for k := range m.list {
		m.list[k].names = 0
		if !m.list[k].own { // a type with its own find relies on what look has seen
			m.list[k].look = nil
		}
	}
	for i := range e.words {
		e.words[i] = ^uint64(0)
	}
	e.digits, e.lone, e.near = -1, 0, false
	return e
}

func TestTriggersChangeNoResult(t *testing.T) {
	low := map[string]float32{} // so that candidates show
	for _, name := range ListTypes() {
		low[name] = 0.05
	}
	r := rand.New(rand.NewPCG(3, 1))
	texts := append([]string{chat(8 << 10), prose(8<<10, 30)}, scraps...)
	for _, c := range ofTypes {
		texts = append(texts, c.text, "x"+c.text, c.text+"\" "+scraps[r.IntN(len(scraps))], c.text+tail)
	}
	for _, text := range []string{
		"code 4b1d" + strings.Repeat("q8Zr2LmX0v", 6)[:38], "token ZXlK" + strings.Repeat("q8Zr2LmX0v", 8), "born June 4, 1976", "see docs.example.com/a", "at 10:30 user: kim, login=kim_lee",
	} {
		texts = append(texts, text, text+tail, tail+text+tail)
	}
	for range 3000 / raceShare() {
		b := make([]byte, 1+r.IntN(120))
		for i := range b {
			b[i] = dense[r.IntN(len(dense))]
		}
		texts = append(texts, string(b), string(b)+tail, ofTypes[r.IntN(len(ofTypes))].text+string(b)+scraps[r.IntN(len(scraps))])
	}
	for _, c := range chatValues {
		texts = append(texts, "Contact: "+c+". "+tail, "card "+c+". 37 items, 14500 in may,\n+"+c, "tel +"+c+". ")
	}
	for _, o := range []Options{{Types: six}, {Types: six, Threshold: low}, {}, {Packs: []string{packAll}}, {Threshold: low}, {Packs: []string{packAll}, Threshold: low, Region: "US"}} {
		gated, open := engine(t, o), newUngatedEngine(t, o)
		for _, text := range texts {
			all := open.DetectAll(nil, text)
			require.Equal(t, all, gated.DetectAll(nil, text), "%q", text)
			require.Equal(t, firsts(all), gated.Detect(nil, text), "%q", text)
			cut := text[:r.IntN(len(text)+1)]
			require.Equal(t, open.CountHeld(cut), gated.CountHeld(cut), "%q", cut)
		}
	}
}

// firsts are the matches of DetectAll that are those of Detect.
func firsts(all []Match) (out []Match) {
	for _, m := range all {
		if n := len(out); n == 0 || out[n-1].Start != m.Start || out[n-1].End != m.End {
			out = append(out, m)
		}
	}
	return out
}

func TestEveryTriggerHasItsBit(t *testing.T) {
	e := engine(t, Options{Packs: []string{packAll}})
	require.LessOrEqual(t, len(e.marks.list), marksMax)
	require.LessOrEqual(t, len(e.numbers.list), numbersMax)
	require.Less(t, len(anchors.list), 256)
	for i := range builtin {
		for _, tr := range builtin[i].triggers {
			require.LessOrEqual(t, tr.number.digits, totalMax, builtin[i].name)
			require.Equal(
				t,
				tr.at == digits09,
				strings.ContainsAny(tr.at, digits09),
				"%s: a trigger stops at all digits or at none",
				builtin[i].name,
			)
		}
		require.NotEqual(t, len(builtin[i].triggers) == 0, len(builtin[i].formats) == 0, "%s has triggers or formats", builtin[i].name)
	}
}

// only is an engine with one trigger of a type.
func only(d *detector, tr trigger) *Engine {
	alone := *d
	alone.triggers = []trigger{tr}
	e := &Engine{pool: &sync.Pool{New: func() any { return new(scan) }}}
	e.add(&alone)
	e.wide = true
	e.compile([]*detector{&alone})
	return e
}

// holds is the plain twin of markTable and numberTable: whether a trigger holds at i, names aside.
func (tr *trigger) holds(t string, i int) bool {
	if !strings.Contains(tr.at, t[i:i+1]) {
		return false
	}
	before, end, form := byte(0), i+1, numberForm{}
	if i > 0 {
		before = t[i-1]
	}
	if tr.at == digits09 {
		if before >= '0' && before <= '9' {
			return false
		}
		for end < len(t) && strings.Contains(digits09, t[end:end+1]) {
			end++
		}
		form = tr.number
	}
	near := len(t)-i < gateTail
	open := end >= len(t)-1
	if tr.at == digits09 {
		open = near
	}
	var n numbers
	if tr.at == digits09 && (!n.load(t, i, end) || n.total < form.digits || n.n < form.groups) {
		return false
	}
	if size := end - i; form.first[1] != 0 && !(near && form.early) && (size < form.first[0] || size > form.first[1]) {
		return false
	}
	if form.joined && !near && end-i < joinedDigits && !isLetterByte(before) && !isLetterByte(t[end]) {
		return false
	}
	starts := tr.at == digits09 && i == 0 // nothing before a number is no reason
	return (starts || tr.before.has(before)) && (open || tr.behind.has(t[end])) && (tr.look == nil || tr.look(t, i))
}

// hold reports whether the tables of an engine with one trigger let it hold at i.
func hold(e *Engine, t string, i int) bool {
	if c := e.marks.findCandidates(t, i); c != 0 {
		return e.marks.list[0].look == nil || e.marks.list[0].look(t, i)
	}
	if !isDigitByte(t[i]) || i > 0 && isDigitByte(t[i-1]) {
		return false
	}
	s, end := &scan{e: e}, findDigitsEnd(t, i)
	s.v.load(t, false)
	return s.num.load(t, i, end) && s.findNumberRules(i, end) != 0
}

// TestEveryTriggerHasAnExample runs the example of each trigger with that trigger alone: the
// type must be found in it. With another byte next to the stop the trigger must not hold.
func TestEveryTriggerHasAnExample(t *testing.T) {
	for i := range builtin {
		d := &builtin[i]
		for k, tr := range d.triggers {
			name := fmt.Sprintf("trigger %d of %s: %q", k, d.name, tr.example)
			require.NotEmpty(t, tr.why, name)
			e := only(d, tr)
			found := e.Detect(nil, tr.example+tail)
			require.Len(t, found, 1, name)
			require.Equal(t, d.name, found[0].Type, name)
			places := 0
			for at := range len(tr.example) {
				text := tr.example + tail
				if !hold(e, text, at) {
					continue
				}
				places++
				behind := at + 1
				if tr.at == digits09 {
					behind = findDigitsEnd(text, at)
				}
				if c, ok := findOutside(tr.before); ok && at > 0 {
					assert.False(t, hold(e, text[:at-1]+string([]byte{c})+text[at:], at), "%s with %q before", name, c)
				}
				if c, ok := findOutside(tr.behind); ok {
					assert.False(t, hold(e, text[:behind]+string([]byte{c})+text[behind+1:], at), "%s with %q behind", name, c)
				}
			}
			require.NotZero(t, places, name)
		}
	}
}

// findOutside returns a byte that is not in the set and is not a digit.
func findOutside(set byteSet) (byte, bool) {
	for _, c := range []byte("x!,;Z\"") {
		if !set.has(c) {
			return c, true
		}
	}
	return 0, false
}

// TestTheTablesOfTriggersAgreeWithTheirRows compares the tables with the plain twin.
func TestTheTablesOfTriggersAgreeWithTheirRows(t *testing.T) {
	r := rand.New(rand.NewPCG(7, 1))
	texts := []string{tail}
	for range 400 / raceShare() {
		b := make([]byte, 1+r.IntN(160))
		for i := range b {
			b[i] = dense[r.IntN(len(dense))]
		}
		texts = append(texts, string(b), ofTypes[r.IntN(len(ofTypes))].text+string(b))
	}
	for i := range builtin {
		for _, tr := range builtin[i].triggers {
			e := only(&builtin[i], tr)
			for _, text := range texts {
				for at := range len(text) {
					if text[at] < utf8.RuneSelf {
						require.Equal(t, tr.holds(text, at), hold(e, text, at), "%s at %d of %q", builtin[i].name, at, text)
					}
				}
			}
		}
	}
}

// tail separates the text before it from the end.
const tail = " and then there is nothing more to be said for quite a while, as one would think"

// dense is what triggers rules, and little else.
const dense = "0123456789012345678901234567890123 -./_+():@%;=\"' AZaefxXJKQTbc,\n&#~$!<>"
