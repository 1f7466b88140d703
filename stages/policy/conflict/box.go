package conflict

import (
	"fmt"
	"maps"
	"math"
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

// box is a set of requests: for each input, what it may be.
type box struct {
	texts   map[input][]texts // the value is in all of the sets
	members map[input][]texts // for each set, the list has an element in it
	numbers map[input]dsl.Range
	is      map[dsl.Attr]bool
	times   *weeks // nil: any
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
		b.during(weeksOf(t.Window))
	}
}

func (b *box) narrow(in input, r dsl.Range) {
	if old, ok := b.numbers[in]; ok {
		r = meet(old, r)
	}
	b.numbers[in] = r
}

func (b *box) during(w *weeks) {
	if b.times != nil {
		w = b.times.and(w)
	}
	b.times = w
}

// meet is what lies in both ranges.
func meet(a, b dsl.Range) dsl.Range {
	if b.HasLo && (!a.HasLo || b.Lo > a.Lo || b.Lo == a.Lo && b.OpenLo) {
		a.Lo, a.HasLo, a.OpenLo = b.Lo, true, b.OpenLo
	}
	if b.HasHi && (!a.HasHi || b.Hi < a.Hi || b.Hi == a.Hi && b.OpenHi) {
		a.Hi, a.HasHi, a.OpenHi = b.Hi, true, b.OpenHi
	}
	return a
}

// whole are the inputs that are whole numbers.
var whole = dsl.AttrSet(dsl.ToolCount, dsl.MessageCount, dsl.PromptTokens, dsl.MaxTokens, dsl.PIICount, dsl.ResponseTokens)

// sample is a number in the range.
func sample(a dsl.Attr, r dsl.Range) (float64, bool) {
	step := 0.0
	switch {
	case whole.Has(a):
		step = 1
	case r.HasLo && r.HasHi:
		step = (r.Hi - r.Lo) / 2
	case r.HasLo || r.HasHi:
		step = 1
	}
	v := 0.0
	switch {
	case r.HasLo && r.OpenLo:
		v = r.Lo + step
	case r.HasLo:
		v = r.Lo
	case r.HasHi && r.OpenHi:
		v = r.Hi - step
	case r.HasHi:
		v = r.Hi
	}
	if whole.Has(a) {
		v = math.Floor(v)
		if r.HasLo && !r.OpenLo && v < r.Lo {
			v++
		}
	}
	return v, r.Holds(v)
}

// both is what lies in both boxes.
func both(a, b *box) *box {
	out := newBox()
	out.never = a.never || b.never
	for _, x := range []*box{a, b} {
		for in, list := range x.texts {
			out.texts[in] = append(slices.Clone(out.texts[in]), list...)
		}
		for in, list := range x.members {
			out.members[in] = append(slices.Clone(out.members[in]), list...)
		}
		for in, r := range x.numbers {
			out.narrow(in, r)
		}
		for attr, is := range x.is {
			if old, ok := out.is[attr]; ok && old != is {
				out.never = true
			}
			out.is[attr] = is
		}
		if x.times != nil {
			out.during(x.times)
		}
	}
	return out
}

// member finds a request in the box, spelled as a witness. ok is false when there
// is none.
func (b *box) member() (witness map[string]string, ok bool) {
	if b.never || b.contradicts() {
		return nil, false
	}
	witness = map[string]string{}
	for _, in := range sorted(b.texts) {
		s, f := common(b.texts[in])
		if f == none {
			return nil, false
		}
		if f == some {
			witness[in.String()] = s
		}
	}
	for _, in := range sorted(b.members) {
		var elements []string
		for _, set := range b.members[in] {
			s, f := common([]texts{set})
			if f == none {
				return nil, false
			}
			if f == some && !slices.Contains(elements, s) {
				elements = append(elements, s)
			}
		}
		witness[in.String()] = strings.Join(elements, " ")
	}
	for _, in := range sorted(b.numbers) {
		v, ok := sample(in.attr, b.numbers[in])
		if !ok {
			return nil, false
		}
		witness[in.String()] = fmt.Sprint(v)
	}
	for attr, is := range b.is {
		witness[attr.String()] = fmt.Sprint(is)
	}
	if b.times != nil {
		at, ok := b.times.first()
		if !ok {
			return nil, false
		}
		witness[dsl.Clock.String()] = at.Format("Mon 2006-01-02 15:04 UTC")
	}
	return witness, true
}

// contradicts finds inputs that say two things of one request.
func (b *box) contradicts() bool {
	if has, ok := b.is[dsl.HasTools]; ok && !has {
		if len(b.members[input{attr: dsl.ToolNames}])+len(b.members[input{attr: dsl.ToolTypes}]) > 0 {
			return true
		}
		if r, ok := b.numbers[input{attr: dsl.ToolCount}]; ok && !r.Holds(0) {
			return true
		}
	}
	if missing, ok := b.is[dsl.MaxTokensMissing]; ok && missing {
		if _, limited := b.numbers[input{attr: dsl.MaxTokens}]; limited {
			return true
		}
	}
	return false
}

func sorted[V any](m map[input]V) []input {
	return slices.SortedFunc(maps.Keys(m), func(a, b input) int { return strings.Compare(a.String(), b.String()) })
}

// covers reports whether every request in o is in b.
func (b *box) covers(o *box) bool {
	if b.never {
		return false
	}
	for in, list := range b.texts {
		for _, set := range list {
			if _, f := common(append(slices.Clone(o.texts[in]), set.not())); f != none {
				return false
			}
		}
	}
	for in, list := range b.members {
		for _, set := range list {
			if !slices.ContainsFunc(o.members[in], func(e texts) bool { _, f := common([]texts{e, set.not()}); return f == none }) {
				return false
			}
		}
	}
	for in, r := range b.numbers {
		if old, ok := o.numbers[in]; !ok || meet(old, r) != old {
			return false
		}
	}
	for attr, is := range b.is {
		if v, ok := o.is[attr]; !ok || v != is {
			return false
		}
	}
	return b.times == nil || o.times != nil && b.times.covers(o.times)
}
