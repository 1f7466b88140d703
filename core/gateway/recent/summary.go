package recent

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// Summary is what a list shows of a kept exchange: the link that decided, the error code, and what refused it: rules of policies
// by their labels, or a budget by its id. All may be empty.
type Summary struct {
	By, Code string
	Rules    []string
	Budget   string
}

// Summarize returns what a list shows of the exchange.
func (e *Exchange) Summarize() Summary {
	k := Summary{By: e.By, Code: e.Code, Budget: e.Budget}
	if e.Code == core.CodePolicyDenied {
		for i := range e.Found {
			if f := &e.Found[i]; f.Link == e.By && !f.Shadow && strings.Contains(f.Label, "/") {
				k.Rules = append(k.Rules, strings.Clone(f.Label))
			}
		}
	}
	return k
}

// FindKept returns which of these ids are kept.
func (r *Ring) FindKept(ids []string) map[string]Summary {
	out := map[string]Summary{}
	if r == nil {
		return out
	}
	wanted := make(map[string]bool, len(ids))
	for _, id := range ids {
		wanted[id] = true
	}
	r.mu.Lock()
	defer r.mu.Unlock()
	for i := range r.slots {
		if id := r.slots[i].ID; wanted[id] {
			out[id] = r.slots[i].Summarize()
		}
	}
	return out
}
