package dsl

import (
	"maps"
	"slices"
)

// Status is the result of policies.
type Status = string

// Statuses.
const (
	Allowed      Status = "ALLOWED"
	Denied       Status = "DENIED"
	Undetermined Status = "UNDETERMINED" // an unknown input could deny
)

// Decision is the result of a set for one request. It grows from phase to phase, and is reused.
type Decision struct {
	set   *Set
	state []Truth // of each rule that was asked
	asked []bool
	fails []error

	Matched []int // places of the rules that fired and are not exempted, in order
	Denier  int   // index of the reported rule; -1: no rule denies
	Route   int   // place of the ROUTE rule that counts; -1: none
	Cap     int64 // 0: none
	Failed  bool  // a rule's expression failed in this phase
}

// Begin prepares the decision for a set.
func (d *Decision) Begin(s *Set) {
	n := len(s.Rules)
	d.set = s
	d.state, d.asked, d.fails = growSlice(d.state, n), growSlice(d.asked, n), growSlice(d.fails, n)
	d.Matched, d.Denier, d.Route, d.Cap, d.Failed = d.Matched[:0], -1, -1, 0, false
}

func growSlice[T any](list []T, n int) []T {
	if cap(list) < n {
		return make([]T, n)
	}
	list = list[:n]
	clear(list)
	return list
}

// HasFired reports whether rule i fired when it was asked.
func (d *Decision) HasFired(i int) bool { return d.state[i] == True }

// FindState returns the result of rule i, or Unknown if it was not evaluated.
func (d *Decision) FindState(i int) Truth {
	if !d.asked[i] {
		return Unknown
	}
	return d.state[i]
}

// Error returns why rule i could not be evaluated, or nil.
func (d *Decision) Error(i int) error { return d.fails[i] }

// EvaluateRules evaluates the rules at the given places, and merges their results. Matched contains those of these
// rules that fired for the first time. Unknown inputs do not fire a rule. A rule that denies and fails, denies, unless
// it says on_error: skip.
func (d *Decision) EvaluateRules(f *Facts, places []int) {
	d.Matched, d.Denier, d.Route, d.Cap, d.Failed = d.Matched[:0], -1, -1, 0, false
	for _, i := range places {
		if d.asked[i] && d.state[i] == True {
			continue
		}
		r := d.set.Rules[i].Rule
		t, err := r.Eval(f)
		d.asked[i], d.state[i], d.fails[i] = true, t, err
		if err != nil {
			d.Failed = true
			d.state[i] = convertTruth(r.Action.Denies() && !r.SkipOnError)
		}
		if d.state[i] == True {
			d.Matched = append(d.Matched, i)
		}
	}
	if len(d.Matched) > 0 {
		d.merge(f)
	}
}

func (d *Decision) merge(f *Facts) {
	left := d.Matched[:0]
	for _, i := range d.Matched {
		r := &d.set.Rules[i]
		if d.findExemption(i) == True {
			continue
		}
		left = append(left, i)
		switch {
		case d.decideDenial(i, f) == True:
			if d.Denier < 0 || d.set.Precedes(i, d.Denier) {
				d.Denier = i
			}
		case r.Action == CapTokens:
			if d.Cap == 0 || r.Params.MaxTokens < d.Cap {
				d.Cap = r.Params.MaxTokens
			}
		case r.Action == Route:
			if d.Route < 0 || r.Priority > d.set.Rules[d.Route].Priority {
				d.Route = i
			}
		}
	}
	d.Matched = left
}

// findExemption returns whether an ALLOW rule that fired names the rule.
func (d *Decision) findExemption(i int) Truth {
	t := False
	for _, a := range d.set.Rules[i].allowed {
		if d.asked[a] {
			t = disjoinTruths(t, d.state[a])
		}
	}
	return t
}

// decideDenial returns whether a rule that fired refuses the request.
func (d *Decision) decideDenial(i int, f *Facts) Truth {
	r := d.set.Rules[i].Rule
	switch {
	case d.fails[i] != nil:
		return convertTruth(r.Action.Denies() && !r.SkipOnError)
	case r.Action == Deny:
		return d.state[i]
	case r.Action.Requires():
		return conjoinTruths(d.state[i], negateTruth(r.EvaluateRequirement(f)))
	}
	return False
}

// FindStatus returns the result of all rules, including unknown inputs. It may be called once all rules were evaluated.
func (d *Decision) FindStatus(f *Facts) Status {
	t := False
	for i := range d.set.Rules {
		if d.set.Rules[i].Action.Denies() && d.asked[i] {
			t = disjoinTruths(t, conjoinTruths(d.decideDenial(i, f), negateTruth(d.findExemption(i))))
		}
	}
	switch t {
	case True:
		return Denied
	case Unknown:
		return Undetermined
	}
	return Allowed
}

// FindReason returns the message of rule i for the client.
func (d *Decision) FindReason(i int) string {
	r := d.set.Rules[i].Rule
	if d.fails[i] != nil {
		return "the policy rule " + r.Label + " could not be evaluated, so the request was refused"
	}
	return r.Denial()
}

// RedactTypes returns the types that the matched rules redact, sorted.
func (d *Decision) RedactTypes() []string {
	found := map[string]bool{}
	for _, i := range d.Matched {
		if r := d.set.Rules[i].Rule; r.Action == Redact {
			for _, g := range r.RedactTypes() {
				found[g.Text] = true
			}
		}
	}
	return slices.Sorted(maps.Keys(found))
}

// ListRules returns the places of all rules.
func (s *Set) ListRules() []int {
	out := make([]int, len(s.Rules))
	for i := range out {
		out[i] = i
	}
	return out
}

// Forget discards the results of rules, so that they are evaluated again, as for another target.
func (d *Decision) Forget(places []int) {
	for _, i := range places {
		d.asked[i], d.state[i], d.fails[i] = false, False, nil
	}
}

// MayFire reports whether rule i fires with the known inputs, or might fire with the unknown ones. Only an ALLOW rule
// that certainly fires exempts from it.
func (d *Decision) MayFire(f *Facts, i int) bool {
	t, err := d.set.Rules[i].eval(f)
	if t == False || err != nil {
		return false
	}
	for _, a := range d.set.Rules[i].allowed {
		if d.asked[a] && d.state[a] == True {
			return false
		}
		if t, err := d.set.Rules[a].eval(f); t == True && err == nil {
			return false
		}
	}
	return true
}
