package node

import (
	"github.com/headgate-dev/headgate/core/manage/console"
)

// listRunningLinks returns the links of the chain in force with their counts since the start.
func (c consolePlan) listRunningLinks() []console.RunningLink {
	totals := c.g.tel.Links()
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	var out []console.RunningLink
	for _, l := range c.g.rt.Chain.Links() {
		if idle, ok := l.Stage.(interface{ IsIdle() bool }); ok && l.Implied && idle.IsIdle() {
			continue // the record that the link serves does not exist
		}
		s, t := describeLink(&l), totals[l.Name]
		out = append(out, console.RunningLink{
			Name: l.Name, Phases: s.Phases, Mode: s.Mode, OnFault: s.OnFault, Implied: l.Implied,
			Calls: t.Calls, Blocks: t.Blocks, Faults: t.Faults, Time: t.Time,
		})
	}
	return out
}
