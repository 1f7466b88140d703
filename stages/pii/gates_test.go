package pii

import (
	"math/rand/v2"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
)

// ungated is an engine that asks every rule at every place, and looks every word up.
func ungated(t testing.TB, o Options) *Engine {
	e := engine(t, o)
	n := &e.numbers
	n.noting, n.single = ^uint32(0), ^uint32(0)
	for _, table := range [][]uint32{n.first[:], n.groups[:], n.before[:], n.behind[:]} {
		for i := range table {
			table[i] = ^uint32(0)
		}
	}
	for k := range e.marks {
		m := &e.marks[k]
		for _, table := range [][]uint16{m.at[:], m.before[:], m.behind[:], m.after[:], m.kinds[:]} {
			for i := range table {
				table[i] = ^uint16(0)
			}
		}
	}
	for i := range e.words {
		e.words[i] = ^uint64(0)
	}
	for i := range e.stops {
		if class[i]&(isTrigger|isMark) != 0 {
			e.stops[i] = 1
		}
	}
	e.digits, e.lone, e.near = -1, 0, false
	return e
}

func TestGatesChangeNoResult(t *testing.T) {
	low := map[string]float32{} // so that candidates show
	for _, name := range Types() {
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
	for range 3000 {
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
		gated, open := engine(t, o), ungated(t, o)
		for _, text := range texts {
			all := open.DetectAll(nil, text)
			require.Equal(t, all, gated.DetectAll(nil, text), "%q", text)
			require.Equal(t, firsts(all), gated.Detect(nil, text), "%q", text)
			cut := text[:r.IntN(len(text)+1)]
			require.Equal(t, open.Hold(cut), gated.Hold(cut), "%q", cut)
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

func TestEveryRuleHasItsBit(t *testing.T) {
	e := engine(t, Options{Packs: []string{packAll}})
	for k, rules := range e.on {
		most := 16
		if trigger(k) == onNumber {
			most = 32
		}
		require.LessOrEqual(t, len(rules), most, "the masks of trigger %d are too narrow", k)
		for _, r := range rules {
			require.LessOrEqual(t, r.d.digits, totalMax, r.d.name)
		}
	}
	require.Less(t, len(anchors), 256)
	for name := range gates {
		require.True(t, known(name), name)
	}
	for k := range markGates {
		for name := range markGates[k] {
			require.True(t, known(name) || name == nameOfPlain, name)
		}
	}
}

// tail keeps what stands before it away from the end of the text.
const tail = " and then there is nothing more to be said for quite a while, as one would think"

// dense is what triggers rules, and little else.
const dense = "0123456789012345678901234567890123 -./_+():@%;=\"' AZaefxXJKQTbc,\n&#~$!<>"
