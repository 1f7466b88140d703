package replay

import (
	"cmp"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/capture"
)

// Report is what a candidate chain would have changed. It contains ids and names, no text of exchanges.
type Report struct {
	From     time.Time `json:"from,omitzero"` // of the exchanges that were read
	To       time.Time `json:"to,omitzero"`
	Read     int       `json:"read"`
	Replayed int       `json:"replayed"`
	Changed  int       `json:"changed"` // changed by more than headers
	// Skipped counts exchanges that could not be replayed, by reason, and Unreadable lists segments that could not be
	// read to their end.
	Skipped    map[string]int `json:"skipped,omitempty"`
	Unreadable []string       `json:"unreadable,omitempty"`
	// Baseline counts the decisions of the chain in force on these exchanges, Candidate those of the other chain, and
	// Recorded those made at the time.
	Recorded  map[string]int `json:"recorded"`
	Baseline  map[string]int `json:"baseline"`
	Candidate map[string]int `json:"candidate"`

	Changes []Total `json:"changes"`
	Stages  []Tally `json:"by_stage"`
	Rules   []Tally `json:"by_rule"`
	Tenants []Tally `json:"by_tenant"`

	examples int
	changes  map[Change]*Total
	stages   map[string]int
	rules    map[string]int
	tenants  map[string]int
}

// Total is one change, the number of exchanges with it, and examples.
type Total struct {
	Change
	Exchanges int      `json:"exchanges"`
	Examples  []string `json:"examples,omitempty"` // ids
}

// Tally is the number of exchanges changed for one reason.
type Tally struct {
	Name      string `json:"name"`
	Exchanges int    `json:"exchanges"`
}

// NewReport returns an empty report that keeps this many examples per change.
func NewReport(examples int) *Report {
	return &Report{
		Skipped: map[string]int{}, Recorded: map[string]int{}, Baseline: map[string]int{}, Candidate: map[string]int{},
		examples: examples, changes: map[Change]*Total{}, stages: map[string]int{}, rules: map[string]int{}, tenants: map[string]int{},
	}
}

// Add adds the outcomes of the chain in force and of a candidate for a record.
func (p *Report) Add(r *capture.Record, a, b *Outcome) {
	if p.Read++; p.Read == 1 {
		p.From = r.At
	}
	p.To = r.At
	if a.Kind == Skipped || b.Kind == Skipped {
		p.Skipped[cmp.Or(a.Why, b.Why)]++
		return
	}
	p.Replayed++
	p.Recorded[r.Outcome]++
	p.Baseline[a.Kind]++
	p.Candidate[b.Kind]++
	changes := Compare(a, b)
	// Every answer carries the headers of a limit; on their own they do not count as a change.
	if slices.ContainsFunc(changes, func(c Change) bool { return c.What != "header" }) {
		p.Changed++
		p.tenants[r.Principal.Tenant]++
	}
	stages, rules := map[string]bool{}, map[string]bool{}
	for _, c := range changes {
		t := p.changes[c]
		if t == nil {
			t = &Total{Change: c}
			p.changes[c] = t
		}
		if t.Exchanges++; len(t.Examples) < p.examples {
			t.Examples = append(t.Examples, r.ID)
		}
		if c.Stage != "" {
			stages[c.Stage] = true
			if c.Rule != "" {
				rules[c.Stage+": "+c.Rule] = true
			}
		}
	}
	for s := range stages {
		p.stages[s]++
	}
	for s := range rules {
		p.rules[s]++
	}
}

// Close sorts the totals by frequency.
func (p *Report) Close() {
	p.Changes = nil
	for _, t := range p.changes {
		p.Changes = append(p.Changes, *t)
	}
	slices.SortFunc(p.Changes, func(a, b Total) int {
		return cmp.Or(
			cmp.Compare(b.Exchanges, a.Exchanges),
			cmp.Compare(a.What, b.What),
			cmp.Compare(a.Stage, b.Stage),
			cmp.Compare(a.Rule, b.Rule),
			strings.Compare(a.From+a.To, b.From+b.To),
		)
	})
	p.Stages, p.Rules, p.Tenants = listTallies(p.stages), listTallies(p.rules), listTallies(p.tenants)
}

func listTallies(m map[string]int) []Tally {
	out := make([]Tally, 0, len(m))
	for _, name := range slices.Sorted(maps.Keys(m)) {
		out = append(out, Tally{name, m[name]})
	}
	slices.SortStableFunc(out, func(a, b Tally) int { return cmp.Compare(b.Exchanges, a.Exchanges) })
	return out
}
