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

// Record is a receiver that is stored as a record: it can be created, changed and deleted while the gateway serves.
type Record struct {
	ID      string
	Version int64  // increases with each change
	Tenant  string // "" for every tenant
	Options Options
}

// Group is a link of the chain for receivers that are records: those of the platform and those of the exchange's
// tenant, called concurrently. Set replaces them at any time; each check uses the receivers in force. Several links may
// use one group.
type Group struct {
	link string
	note func(remote.Observed)
	now  atomic.Pointer[map[string]*remote.Stage] // by tenant; "" for tenants without receivers of their own

	mu      sync.Mutex // guards the fields below
	members map[string]member
}

// member is a record and its receiver.
type member struct {
	Record
	stage *remote.Stage
}

// NewGroup returns a group without receivers. note receives the verdicts of receivers in shadow mode, and the failures
// of those that fail open.
func NewGroup(link string, note func(remote.Observed)) *Group {
	g := &Group{link: link, note: note, members: map[string]member{}}
	g.now.Store(&map[string]*remote.Stage{})
	return g
}

// Set puts the receivers in force, in their order. An unchanged receiver keeps its breaker and its connections. A
// record that is invalid is omitted if it fails open; if it fails closed, it becomes a receiver that always fails,
// because the exchanges that it was to judge must not pass. The error names the invalid records.
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
			if m, err = g.newMember(r); err != nil {
				bad = fmt.Errorf("guardrail plugin %q: %w", r.Options.Link, err)
				if r.Options.FailOpen || r.Options.Shadow {
					continue
				}
				m = member{r, remote.NewBroken(r.Options.buildRemoteOptions(), err)}
			}
		}
		next[r.ID] = m
		all = append(all, m)
	}
	panels := map[string]*remote.Stage{}
	for _, tenant := range listTenants(all) {
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
			_ = old.stage.Close(context.Background()) // closes idle connections and drops queued copies of shadow mode
		}
	}
	g.members = next
	return bad
}

func (g *Group) newMember(r Record) (member, error) {
	o := r.Options
	if o.Shadow {
		o.Note = g.note
	}
	s, err := New(o)
	return member{r, s}, err
}

// listTenants returns the tenants that have receivers of their own, and "".
func listTenants(all []member) []string {
	out := []string{""}
	for i := range all {
		if !slices.Contains(out, all[i].Tenant) {
			out = append(out, all[i].Tenant)
		}
	}
	return out
}

// findStage returns the receivers of an exchange as one stage, or nil if it has none.
func (g *Group) findStage(x *core.Exchange) *remote.Stage {
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

// Stage returns the group as a link of the chain.
func (g *Group) Stage() core.StreamStage { return grouped{g} }

// Close closes all receivers.
func (g *Group) Close() { _ = g.Set(nil) } // an empty list is always valid

// grouped is a link that uses a group. It is not a core.Closer, because the group outlives the chains that contain it.
type grouped struct{ g *Group }

var (
	_ core.StreamStage      = grouped{}
	_ core.ConditionalStage = grouped{}
)

// IsIdle reports whether the group has no receivers at all.
func (s grouped) IsIdle() bool { return len(*s.g.now.Load()) == 0 }

// Applies reports whether the exchange has receivers.
func (s grouped) Applies(x *core.Exchange) bool { return s.g.findStage(x) != nil }

func (s grouped) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	st := s.g.findStage(x)
	if st == nil {
		return core.Verdict{Action: core.Pass}, nil
	}
	return st.Check(ctx, x, p, kept)
}

func (s grouped) Stream(ctx context.Context, x *core.Exchange, kept any) (core.StreamFilter, error) {
	st := s.g.findStage(x)
	if st == nil {
		return nil, nil
	}
	return st.Stream(ctx, x, kept)
}
