package offered

import (
	"time"

	"github.com/headgate-dev/headgate/core"
)

// FindUse reports whether the caller has offered a tool to a model, and whether a model has called it in an answer to the caller,
// within the time that is kept. Names of tools count, and not those of their servers.
func (m *Memory) FindUse(p *core.Principal, tool string, now time.Time) (offered, requested bool) {
	if m == nil || p == nil {
		return false, false
	}
	s, l := m.lockLine(p, false)
	defer s.mu.Unlock()
	if l == nil {
		return false, false
	}
	for i := range l.offers {
		if o := &l.offers[i]; now.Sub(o.at) <= Kept && o.has(tool) {
			offered = true
			break
		}
	}
	for i := range l.calls {
		if c := &l.calls[i]; now.Sub(c.at) <= Kept && isNameOf(c.Name, tool) {
			return offered, true
		}
	}
	return offered, false
}

func (o *offer) has(tool string) bool {
	for _, name := range o.names {
		if isNameOf(name, tool) {
			return true
		}
	}
	return false
}

// ClaimCall returns the trace of the model's call that a call of a tool carries out: of those with the same arguments,
// the oldest that was not carried out yet; otherwise of those whose arguments are not known, the oldest; otherwise the
// newest of the tool, because clients and links may change arguments. args is what [Memory.SumArgs] returns.
func (m *Memory) ClaimCall(p *core.Principal, tool string, args uint64, now time.Time) (Trace, bool) {
	if m == nil || p == nil {
		return Trace{}, false
	}
	s, l := m.lockLine(p, false)
	defer s.mu.Unlock()
	if l == nil {
		return Trace{}, false
	}
	best, rank := -1, 0
	for i := range l.calls {
		c := &l.calls[i]
		if now.Sub(c.at) > Kept || !isNameOf(c.Name, tool) {
			continue
		}
		switch r := c.scoreArgs(args); {
		case r > rank, r == rank && r <= 2: // calls that were not carried out are taken in their order, others from the end
			best, rank = i, r
		}
	}
	if best < 0 {
		return Trace{}, false
	}
	l.calls[best].taken = true
	return l.calls[best].trace, true
}

// scoreArgs says how well a call fits arguments, from 1 to 4.
func (c *call) scoreArgs(args uint64) int {
	switch {
	case c.Args != 0 && c.Args == args && !c.taken:
		return 4
	case c.Args == 0 && !c.taken:
		return 3
	case c.Args != 0 && c.Args == args:
		return 2
	}
	return 1
}

// FindResult returns the trace of the call to which a result with this id belongs.
func (m *Memory) FindResult(p *core.Principal, id string, now time.Time) (Trace, bool) {
	if m == nil || p == nil || id == "" {
		return Trace{}, false
	}
	s, l := m.lockLine(p, false)
	defer s.mu.Unlock()
	if l == nil {
		return Trace{}, false
	}
	for i := len(l.calls) - 1; i >= 0; i-- {
		if c := &l.calls[i]; c.ID == id && now.Sub(c.at) <= Kept {
			return c.trace, true
		}
	}
	return Trace{}, false
}
