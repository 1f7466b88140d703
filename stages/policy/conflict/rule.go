package conflict

import (
	"reflect"

	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// rule is a rule as sets: it fires for the requests in its boxes, or, if it is loose, for some of them.
type rule struct {
	*dsl.PlacedRule
	place  int
	boxes  []*box
	loose  bool // an expression or unless has a say
	vacant bool // nothing lies in its boxes

	last    int // place plus one of the rule that covers was asked about last
	covered bool
}

func newRule(p *dsl.PlacedRule, place int) *rule {
	r := &rule{PlacedRule: p, place: place, loose: p.When != "" || len(p.Unless) > 0}
	if !p.Any || len(p.Conditions) == 0 {
		b := r.buildScopeBox()
		for i := range p.Conditions {
			addCondition(b, &p.Conditions[i])
		}
		r.boxes = []*box{b}
	} else {
		for i := range p.Conditions {
			b := r.buildScopeBox()
			addCondition(b, &p.Conditions[i])
			r.boxes = append(r.boxes, b)
		}
	}
	r.vacant = true
	for _, b := range r.boxes {
		if _, ok := b.findMember(); ok {
			r.vacant = false
		}
	}
	return r
}

func addCondition(b *box, c *dsl.Condition) {
	for i := range c.Tests {
		b.add(&c.Tests[i])
	}
}

// buildScopeBox returns the box of all requests that the rule's policy is about.
func (r *rule) buildScopeBox() *box {
	b := newBox()
	if t := r.Policy.Tenant; t != "" {
		b.texts[input{attr: dsl.TenantID}] = []texts{newExactText(t)}
	}
	return b
}

// firesAlways reports whether a rule fires for all requests that its policy is about.
func (r *rule) firesAlways() bool {
	if r.loose {
		return false
	}
	for _, b := range r.boxes {
		if b.covers(r.buildScopeBox()) {
			return true
		}
	}
	return false
}

// findOverlap finds a request for which both rules fire.
func findOverlap(a, b *rule) (witness map[string]string, ok bool) {
	return findOverlapping(a.boxes, b.boxes)
}

func findOverlapping(as, bs []*box) (witness map[string]string, ok bool) {
	for _, x := range as {
		for _, y := range bs {
			if witness, ok = intersectBoxes(x, y).findMember(); ok {
				return witness, true
			}
		}
	}
	return nil, false
}

// covers reports whether b fires only if r does. It is called for the same pair more than once.
func (r *rule) covers(b *rule) bool {
	if r.last != b.place+1 {
		r.last, r.covered = b.place+1, r.contains(b)
	}
	return r.covered
}

func (r *rule) contains(b *rule) bool {
	if r.loose && !(r.When == b.When && reflect.DeepEqual(r.Unless, b.Unless)) {
		return false
	}
	for _, y := range b.boxes {
		inside := false
		for _, x := range r.boxes {
			inside = inside || x.covers(y)
		}
		if !inside {
			return false
		}
	}
	return true
}

// listRoutedBoxes returns the boxes of the requests after a ROUTE rule was applied.
func (r *rule) listRoutedBoxes() []*box {
	out := make([]*box, len(r.boxes))
	for i, b := range r.boxes {
		c := intersectBoxes(b, newBox())
		if p := r.Params; p.Model != "" {
			c.texts[input{attr: dsl.Model}] = []texts{newExactText(p.Model)}
		}
		if p := r.Params; p.Provider != "" {
			c.texts[input{attr: dsl.Provider}] = []texts{newExactText(p.Provider)}
		}
		if p := r.Params; p.Region != "" {
			c.texts[input{attr: dsl.Region}] = []texts{newExactText(p.Region)}
		}
		out[i] = c
	}
	return out
}

// judges reports whether the rule depends on what a ROUTE rule changes.
func (r *rule) judges(p *dsl.Params) bool {
	for _, b := range r.boxes {
		if p.Model != "" && len(b.texts[input{attr: dsl.Model}]) > 0 || p.Provider != "" && len(b.texts[input{attr: dsl.Provider}]) > 0 ||
			p.Region != "" && len(b.texts[input{attr: dsl.Region}]) > 0 {
			return true
		}
	}
	return false
}
