package admin

import (
	"context"
	"errors"
	"net/http"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// The states of a personal access token, as the specification spells them.
const (
	PATActive  = "Active"
	PATExpired = "Expired"
	PATRevoked = "Revoked"
)

// PAT is a personal access token. Its plaintext is in the answer to its making alone.
type PAT struct {
	ID         string     `json:"id" example:"k3vqx7mz2hj4n6ta"`
	Token      string     `json:"token,omitempty" doc:"The token itself. Shown once, when it is made." example:"headgate_pat_6pQ…"`
	Name       string     `json:"name" example:"deploy"`
	Prefix     string     `json:"prefix" doc:"The first 20 characters of the token." example:"headgate_pat_6pQd0aX"`
	UserID     string     `json:"user_id" doc:"Whose it is."`
	Roles      []string   `json:"roles" nullable:"false" doc:"Those of its user when it was made. What the user is no more, it is no more."`
	TenantID   *string    `json:"tenant_id" nullable:"true" doc:"null: the platform."`
	Status     string     `json:"status" enum:"Active,Expired,Revoked"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at" nullable:"true" doc:"null: never. Behind by a minute at most."`
	ExpiresAt  *time.Time `json:"expires_at" nullable:"true" doc:"null: never."`
}

// NewPAT are the fields of a token to be made.
type NewPAT struct {
	Name      string     `json:"name" minLength:"1" maxLength:"200"`
	ExpiresAt *time.Time `json:"expires_at,omitempty" nullable:"true" doc:"null: never, or with the token that it is made with."`
}

// Create makes a token for the actor, with their roles, and answers it with its plaintext. One that is made with
// another token is no mightier than that, and ends no later.
func (s PATs) Create(ctx context.Context, who *auth.Actor, n NewPAT) (PAT, error) {
	now := s.svc.Now()
	if strings.TrimSpace(n.Name) == "" {
		return PAT{}, invalidValue("name", "write a name of 1 to 200 characters")
	}
	if n.ExpiresAt != nil && !n.ExpiresAt.After(now) {
		return PAT{}, invalidValue("expires_at", "write a time in the future, or null for a token that does not expire")
	}
	end, err := s.expiry(ctx, who, n.ExpiresAt)
	if err != nil {
		return PAT{}, err
	}
	user, err := s.svc.Users().EnsureExists(ctx, who)
	if err != nil {
		return PAT{}, err
	}
	plain := auth.NewPAT()
	p, err := s.svc.Store.PATs().Insert(ctx, store.PAT{
		ID: s.svc.NewID(), UserID: user, Name: n.Name, Prefix: auth.VisiblePATPrefix(plain), Hash: auth.Hash(plain), Roles: auth.RoleNames(who.Roles),
		TenantID: who.Tenant, Source: store.SourceAPI, ExpiresAt: end,
	})
	if err != nil {
		return PAT{}, mapNotFound(err, "user")
	}
	v := viewPAT(&p, now)
	v.Token = plain
	return v, s.writeEvent(ctx, who, audit.PATCreated, &p)
}

// expiry is when a token ends that is made until then, nil being never.
func (s PATs) expiry(ctx context.Context, who *auth.Actor, until *time.Time) (time.Time, error) {
	var end, most time.Time
	if until != nil {
		end = *until
	}
	if id, ok := strings.CutPrefix(who.ID, "pat:"); ok && who.Via == auth.ViaPAT {
		with, err := s.svc.Store.PATs().Get(ctx, id)
		if err != nil && !errors.Is(err, store.ErrNotFound) {
			return end, err
		}
		most = with.ExpiresAt
	}
	switch {
	case most.IsZero():
		return end, nil
	case end.IsZero():
		return most, nil
	case end.After(most):
		return end, invalidValue("expires_at", "a token that is made with another token ends no later than that")
	}
	return end, nil
}

// EnsureExists returns the id of the user behind an actor. An actor of the identity provider gets a user here, so that
// their tokens have an owner that can be disabled.
func (s Users) EnsureExists(ctx context.Context, who *auth.Actor) (string, error) {
	if who.UserID != "" {
		return who.UserID, nil
	}
	if who.Subject == "" {
		return "", &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: "a token belongs to a user, and there is none behind this credential"}
	}
	u := store.User{ID: s.svc.NewID(), Email: who.Email, Name: who.Name, Subject: who.Subject, Roles: auth.RoleNames(who.Roles), TenantID: who.Tenant, Status: store.UserActive, RolesAt: who.IssuedAt}
	if _, err := Address(u.Email); err != nil {
		u.Email = ""
	}
	for range 2 { // the second time without an address that somebody else has
		if u.Email == "" {
			u.Email = u.ID + "@identity-provider.invalid"
		}
		made, err := s.svc.Store.Users().Insert(ctx, u)
		if err == nil {
			return made.ID, s.svc.publishChange(ctx, who, created, "user", made.ID, who.Tenant)
		}
		if errors.Is(err, store.ErrNotFound) {
			return "", notFound("tenant as your token names")
		}
		if !errors.Is(err, store.ErrExists) {
			return "", err
		}
		if known, err := s.svc.Store.Users().GetBySubject(ctx, who.Subject); err == nil { // made by another request meanwhile
			return known.ID, nil
		}
		u.Email = ""
	}
	return "", conflict(CodeConflict, "a user could not be made for you; try again")
}

// List lists the actor's own tokens, or those of all users that they may see.
func (s PATs) List(ctx context.Context, who *auth.Actor, everybodys bool, page Page) (List[PAT], error) {
	now := s.svc.Now()
	after, err := page.cursor()
	if err != nil {
		return List[PAT]{}, err
	}
	list := List[PAT]{Cursor: func(p PAT) string { return cursorOf(p.CreatedAt, p.ID) }}
	view := func(p *store.PAT) PAT { return viewPAT(p, now) }
	switch {
	case everybodys:
		if _, err := s.svc.allow(ctx, who, auth.TokensOfOthers, ""); err != nil {
			return List[PAT]{}, err
		}
		if who.Tenant != "" { // possible only where roles do not matter
			return List[PAT]{}, MissingRole(auth.TokensOfOthers)
		}
		list.All = viewEach(s.svc.Store.PATs().EachOf(ctx, "", after, page.Limit), view)
	case who.UserID == "":
		return listOf[PAT](nil, Page{}, list.Cursor)
	default:
		list.All = viewEach(s.svc.Store.PATs().EachOf(ctx, who.UserID, after, page.Limit), view)
	}
	return list, nil
}

// Get is one token: of the actor's own, or of those of all for an owner.
func (s PATs) Get(ctx context.Context, who *auth.Actor, id string) (PAT, error) {
	p, err := s.svc.Store.PATs().Get(ctx, id)
	if err == nil && !isOwnPAT(who, &p) && !canSeeAllPATs(who) {
		err = store.ErrNotFound
	}
	if err != nil {
		return PAT{}, mapNotFound(err, "token")
	}
	return viewPAT(&p, s.svc.Now()), nil
}

// Revoke ends a token at once and for good. Only its user can do that.
func (s PATs) Revoke(ctx context.Context, who *auth.Actor, id string, m Match) error {
	now := s.svc.Now()
	p, changed, err := s.svc.Store.PATs().Revoke(ctx, id, func(p *store.PAT) error {
		switch {
		case isOwnPAT(who, p):
			return m.Check(viewPAT(p, now))
		case canSeeAllPATs(who):
			return &core.Error{
				Kind: core.Forbidden, Status: http.StatusForbidden, Code: core.CodeForbidden,
				Public: "only its user can revoke a token; to end all that a user can do, disable the user",
			}
		}
		return store.ErrNotFound
	})
	if err != nil || !changed {
		return mapNotFound(err, "token")
	}
	return s.writeEvent(ctx, who, audit.PATRevoked, &p)
}

func isOwnPAT(who *auth.Actor, p *store.PAT) bool { return who.UserID != "" && who.UserID == p.UserID }

func canSeeAllPATs(who *auth.Actor) bool { return who.Tenant == "" && who.Can(auth.TokensOfOthers) }

// writeEvent tells the audit chain of a token.
func (s PATs) writeEvent(ctx context.Context, who *auth.Actor, kind string, p *store.PAT) error {
	var e audit.Payload
	e.Str("actor", who.ID)
	e.Str("user", p.UserID)
	e.Str("id", p.ID)
	e.Str("name", p.Name)
	e.Str("prefix", p.Prefix)
	e.Strs("roles", p.Roles)
	return s.svc.writeEvent(context.WithoutCancel(ctx), p.TenantID, kind, &e)
}

func viewPAT(p *store.PAT, now time.Time) PAT {
	v := PAT{
		ID: p.ID, Name: p.Name, Prefix: p.Prefix, UserID: p.UserID, Roles: p.Roles, Status: PATStatus(p, now), CreatedAt: p.CreatedAt,
		LastUsedAt: nilIfZero(p.UsedAt), ExpiresAt: nilIfZero(p.ExpiresAt),
	}
	if v.Roles == nil {
		v.Roles = []string{}
	}
	if p.TenantID != "" {
		tenant := p.TenantID
		v.TenantID = &tenant
	}
	return v
}

// PATStatus is the state of a token.
func PATStatus(p *store.PAT, now time.Time) string {
	switch {
	case !p.RevokedAt.IsZero():
		return PATRevoked
	case !p.ExpiresAt.IsZero() && !now.Before(p.ExpiresAt):
		return PATExpired
	}
	return PATActive
}
