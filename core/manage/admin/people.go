package admin

import (
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// People looks up the names behind ids in records: users, owners of tokens, gateway keys. Use one per request.
type People struct {
	ctx   context.Context
	s     *Service
	blind bool
	known map[string]string
}

// OpenPeople returns the names that the actor may read. Actors who approve requests or read the audit log may read all
// names.
func (s *Service) OpenPeople(ctx context.Context, who *auth.Actor) *People {
	p := s.newPeople(ctx)
	p.blind = who.Tenant != "" || !who.Can(auth.AuditRead) && !who.Can(auth.Approve)
	return p
}

func (s *Service) newPeople(ctx context.Context) *People {
	return &People{ctx: ctx, s: s, known: map[string]string{}}
}

// nameApproval adds the names of the requester and the approver.
func (p *People) nameApproval(a Approval) Approval {
	a.Asked, a.Decided = p.NameOf(a.Requester), p.NameOf(a.Approver)
	return a
}

// NameOf returns the name for an id, or "".
func (p *People) NameOf(id string) string {
	if id == "" || p.blind {
		return ""
	}
	name, ok := p.known[id]
	if !ok {
		name = p.find(id)
		p.known[id] = name
	}
	return name
}

// find reads a name, or returns "" if that fails, because callers show the id as well.
func (p *People) find(id string) string {
	kind, rest, of := strings.Cut(id, ":")
	var u store.User
	err := store.ErrNotFound
	switch {
	case !of:
		if k, err := p.s.Store.Keys().Get(p.ctx, id); err == nil {
			return k.Name
		}
	case kind == "user":
		u, err = p.s.Store.Users().Get(p.ctx, rest)
	case kind == "subject":
		u, err = p.s.Store.Users().GetBySubject(p.ctx, rest)
	case kind == "pat":
		var t store.PAT
		if t, err = p.s.Store.PATs().Get(p.ctx, rest); err == nil {
			u, err = p.s.Store.Users().Get(p.ctx, t.UserID)
		}
	}
	if err != nil {
		return ""
	}
	return u.Name
}
