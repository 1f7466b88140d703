package conflict

import (
	"fmt"
	"maps"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// input is one input of rules: an attribute, and the key in it.
type input struct {
	attr dsl.Attr
	key  string
}

func (i input) String() string {
	if i.key == "" {
		return i.attr.String()
	}
	return i.attr.String() + "." + i.key
}

// box is a set of requests: for each input, the values that it may have.
type box struct {
	texts   map[input][]texts // the value is in all of the sets
	members map[input][]texts // for each set, the list has an element in it
	numbers map[input]dsl.Range
	is      map[dsl.Attr]bool
	times   *weeks // nil for any time
	never   bool
}

func newBox() *box {
	return &box{texts: map[input][]texts{}, members: map[input][]texts{}, numbers: map[input]dsl.Range{}, is: map[dsl.Attr]bool{}}
}

// add narrows the box by a test.
func (b *box) add(t *dsl.Test) {
	in := input{t.Attr, t.Key}
	switch t.Op {
	case dsl.OpIn, dsl.OpNotIn:
		b.texts[in] = append(b.texts[in], texts{t.Globs, t.Op == dsl.OpIn})
	case dsl.OpAny, dsl.OpOther:
		if t.Attr == dsl.PIIConfidence {
			b.narrow(in, dsl.Range{Lo: float64(t.MinScore), HasLo: true})
			return
		}
		b.members[in] = append(b.members[in], texts{t.Globs, t.Op == dsl.OpAny})
	case dsl.OpAll:
		for _, g := range t.Globs {
			b.members[in] = append(b.members[in], texts{[]dsl.Glob{g}, true})
		}
	case dsl.OpRange:
		if t.Attr == dsl.PIICount { // what is counted makes another number
			for _, g := range t.Globs {
				in.key += g.Text + " "
			}
			in.key = strings.TrimSpace(in.key)
		}
		b.narrow(in, t.Range)
	case dsl.OpIs:
		if is, ok := b.is[t.Attr]; ok && is != t.Is {
			b.never = true
		}
		b.is[t.Attr] = t.Is
	case dsl.OpWindow:
		b.limitTimes(convertWindow(t.Window))
	}
}

func (b *box) narrow(in input, r dsl.Range) {
	if old, ok := b.numbers[in]; ok {
		r = intersectRanges(old, r)
	}
	b.numbers[in] = r
}

func (b *box) limitTimes(w *weeks) {
	if b.times != nil {
		w = b.times.intersect(w)
	}
	b.times = w
}

// findMember finds a request in the box, spelled as a witness. ok is false if the box is empty.
func (b *box) findMember() (witness map[string]string, ok bool) {
	if b.never || b.contradicts() {
		return nil, false
	}
	witness = map[string]string{}
	for _, in := range sortKeys(b.texts) {
		s, f := findCommon(b.texts[in])
		if f == none {
			return nil, false
		}
		if f == some {
			witness[in.String()] = s
		}
	}
	for _, in := range sortKeys(b.members) {
		var elements []string
		for _, set := range b.members[in] {
			s, f := findCommon([]texts{set})
			if f == none {
				return nil, false
			}
			if f == some && !slices.Contains(elements, s) {
				elements = append(elements, s)
			}
		}
		witness[in.String()] = strings.Join(elements, " ")
	}
	for _, in := range sortKeys(b.numbers) {
		v, ok := sampleRange(in.attr, b.numbers[in])
		if !ok {
			return nil, false
		}
		witness[in.String()] = fmt.Sprint(v)
	}
	for attr, is := range b.is {
		witness[attr.String()] = fmt.Sprint(is)
	}
	if b.times != nil {
		at, ok := b.times.findFirst()
		if !ok {
			return nil, false
		}
		witness[dsl.Clock.String()] = at.Format("Mon 2006-01-02 15:04 UTC")
	}
	return witness, true
}

func sortKeys[V any](m map[input]V) []input {
	return slices.SortedFunc(maps.Keys(m), func(a, b input) int { return strings.Compare(a.String(), b.String()) })
}
