package replay

import (
	"cmp"
	"slices"

	"github.com/headgate-dev/headgate/core"
)

// The outcomes of an exchange.
const (
	Forwarded = "forwarded" // the chain passes it, as far as its answer was recorded
	Answered  = "answered"  // a link answers it
	Blocked   = "blocked"
	Faulted   = "faulted" // a link fails and therefore blocks
	Retried   = "retried" // a link wants another answer
	Skipped   = "skipped" // it could not be replayed; Why gives the reason
)

// Outcome is the result of one chain for one exchange.
type Outcome struct {
	Kind  string
	Link  string // the link that decided
	Phase string
	Code  string // of the error
	Rule  string // the last finding of the link before it decided, or the code
	Why   string

	Model    string // the model that is routed instead of the client's; empty if unchanged
	TokenCap int64
	Found    []Count // by link, label, phase and shadow, in that order
	Rewrote  []string
	Faults   []string // links that failed and let it pass, or are in shadow mode
	Header   []string // names
	Request  uint64   // hash of the request's body as it would be sent
	Response uint64
}

// Count is the number of findings of one kind by a link.
type Count struct {
	Link, Label, Phase string
	Shadow             bool
	N                  int
}

func compareCounts(a, b Count) int {
	if c := cmp.Or(cmp.Compare(a.Link, b.Link), cmp.Compare(a.Label, b.Label), cmp.Compare(a.Phase, b.Phase)); c != 0 {
		return c
	}
	switch {
	case a.Shadow == b.Shadow:
		return 0
	case b.Shadow:
		return -1
	}
	return 1
}

// gather collects the findings and faults of the links.
func (o *Outcome) gather(x *core.Exchange) {
	found := map[Count]int{}
	for i := range x.Findings {
		f := &x.Findings[i]
		found[Count{Link: f.Link, Label: f.Label, Phase: f.Phase.String(), Shadow: f.Shadow}]++
		if f.Link == o.Link && !f.Shadow && f.Phase.String() == o.Phase {
			o.Rule = f.Label
		}
	}
	if o.Rule == "" {
		o.Rule = o.Code
	}
	for k, n := range found {
		k.N = n
		o.Found = append(o.Found, k)
	}
	slices.SortFunc(o.Found, compareCounts)
	for i := range x.Visits {
		v := &x.Visits[i]
		if v.Action == core.Rewrite && !v.Shadow {
			o.Rewrote = append(o.Rewrote, v.Link)
		}
		if v.Fault != 0 {
			o.Faults = append(o.Faults, v.Link+": "+v.Fault.String())
		}
	}
	o.Rewrote, o.Faults = removeRepeats(o.Rewrote), removeRepeats(o.Faults)
	for i := range x.Header {
		o.Header = append(o.Header, x.Header[i].Name)
	}
	o.Header = removeRepeats(o.Header)
	if m := x.Model(); m != x.Head.Model {
		o.Model = m
	}
	o.TokenCap = x.TokenCap()
}

func removeRepeats(list []string) []string {
	slices.Sort(list)
	return slices.Compact(list)
}
