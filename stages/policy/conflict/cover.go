package conflict

import (
	"slices"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// intersectBoxes returns the intersection of two boxes.
func intersectBoxes(a, b *box) *box {
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
			out.limitTimes(x.times)
		}
	}
	return out
}

// contradicts reports whether inputs contradict each other.
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

// covers reports whether every request in o is in b.
func (b *box) covers(o *box) bool {
	if b.never {
		return false
	}
	for in, list := range b.texts {
		for _, set := range list {
			if _, f := findCommon(append(slices.Clone(o.texts[in]), set.complement())); f != none {
				return false
			}
		}
	}
	for in, list := range b.members {
		for _, set := range list {
			if !slices.ContainsFunc(o.members[in], func(e texts) bool { _, f := findCommon([]texts{e, set.complement()}); return f == none }) {
				return false
			}
		}
	}
	for in, r := range b.numbers {
		if old, ok := o.numbers[in]; !ok || intersectRanges(old, r) != old {
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
