package webhook

import (
	"context"
	"fmt"
	"slices"
	"sync"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// Record is a receiver that is kept as a record: it comes, changes and goes while
// the gateway serves.
type Record struct {
	ID      string
	Version int64  // rises with each change
	Tenant  string // "": for every tenant
	Options Options
}

// Group is one link of the chain that asks receivers which are records: those of the
// platform and those of the exchange's tenant, side by side. Set replaces them at any
// time; an exchange that is under way is judged by those that it met. Several links may
// show one group.
type Group struct {
	link string
	note func(remote.Observed)
	now  atomic.Pointer[map[string]*remote.Stage] // by tenant; "" for a tenant without receivers of its own

	mu      sync.Mutex // guards what follows
	members map[string]member
}

// member is a record and the receiver that was made of it.
type member struct {
	Record
	stage *remote.Stage
}

// NewGroup makes a group without receivers. note is told of those in shadow, and of
// failures of those that fail open.
func NewGroup(link string, note func(remote.Observed)) *Group {
	g := &Group{link: link, note: note, members: map[string]member{}}
	g.now.Store(&map[string]*remote.Stage{})
	return g
}

// Set puts the receivers in force, in their order. One that did not change is the same
// as before, with its breaker and its connections. One that cannot be made is left out
// if it fails open; if it fails closed it is a receiver that always fails: what it was to
// judge must not pass unseen. The error tells of these.
func (g *Group) Set(records []Record) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var bad error
	next := make(map[string]member, len(records))
	var all []member
	for _, r := range records {
		m, known := g.members[r.ID]
		if !known || m.Version != r.Version {
			var err error
			if m, err = g.make(r); err != nil {
				bad = fmt.Errorf("guardrail plugin %q: %w", r.Options.Link, err)
				if r.Options.FailOpen || r.Options.Shadow {
					continue
				}
				m = member{r, remote.NewBroken(r.Options.engine(), err)}
			}
		}
		next[r.ID] = m
		all = append(all, m)
	}
	panels := map[string]*remote.Stage{}
	for _, tenant := range tenants(all) {
		var for_ []*remote.Stage
		for i := range all {
			if all[i].Tenant == "" || all[i].Tenant == tenant {
				for_ = append(for_, all[i].stage)
			}
		}
		if len(for_) > 0 {
			panels[tenant] = remote.NewPanel(g.link, for_, g.note)
		}
	}
	g.now.Store(&panels)
	for id, old := range g.members {
		if next[id].stage != old.stage {
			_ = old.stage.Close(context.Background()) // it lets go of idle connections and of what waits in shadow
		}
	}
	g.members = next
	return bad
}

func (g *Group) make(r Record) (member, error) {
	o := r.Options
	if o.Shadow {
		o.Note = g.note
	}
	s, err := New(o)
	return member{r, s}, err
}

// tenants are those that have receivers of their own, and "".
func tenants(all []member) []string {
	out := []string{""}
	for i := range all {
		if !slices.Contains(out, all[i].Tenant) {
			out = append(out, all[i].Tenant)
		}
	}
	return out
}

// of returns the receivers of an exchange as one stage, or nil if it has none.
func (g *Group) of(x *core.Exchange) *remote.Stage {
	panels := *g.now.Load()
	if len(panels) == 0 {
		return nil
	}
	if p := x.Principal; p != nil {
		if s := panels[p.Tenant]; s != nil {
			return s
		}
	}
	return panels[""]
}

// Stage is the group as a link of the chain.
func (g *Group) Stage() core.StreamStage { return grouped{g} }

// Close lets go of all receivers.
func (g *Group) Close() { _ = g.Set(nil) } // nothing can go wrong with none

// grouped shows a group. It is not a core.Closer: the group outlives the chains that it
// is a link of.
type grouped struct{ g *Group }

var (
	_ core.StreamStage = grouped{}
	_ core.Selective   = grouped{}
)

// Idle reports that the group has no receivers at all.
func (s grouped) Idle() bool { return len(*s.g.now.Load()) == 0 }

// Applies reports whether there is anybody to ask.
func (s grouped) Applies(x *core.Exchange) bool { return s.g.of(x) != nil }

func (s grouped) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	st := s.g.of(x)
	if st == nil {
		return core.Verdict{Action: core.Pass}, nil
	}
	return st.Check(ctx, x, p, kept)
}

func (s grouped) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	st := s.g.of(x)
	if st == nil {
		return nil, nil
	}
	return st.Stream(ctx, x, kept)
}
