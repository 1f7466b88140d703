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

// The states of a personal access token.
const (
	PATActive  = "Active"
	PATExpired = "Expired"
	PATRevoked = "Revoked"
)

// PAT is a personal access token. Only the answer to its creation contains the plaintext.
type PAT struct {
	ID         string     `json:"id" example:"k3vqx7mz2hj4n6ta"`
	Token      string     `json:"token,omitempty" doc:"The plaintext of the token. Only the answer to its creation contains it." example:"headgate_pat_6pQ…"`
	Name       string     `json:"name" example:"deploy"`
	Prefix     string     `json:"prefix" doc:"The first 20 characters of the token." example:"headgate_pat_6pQd0aX"`
	UserID     string     `json:"user_id" doc:"The id of the token's user."`
	Roles      []string   `json:"roles" nullable:"false" doc:"The user's roles at creation. Roles that the user later loses no longer apply."`
	TenantID   *string    `json:"tenant_id" nullable:"true" doc:"null: the platform."`
	Status     string     `json:"status" enum:"Active,Expired,Revoked"`
	CreatedAt  time.Time  `json:"created_at"`
	LastUsedAt *time.Time `json:"last_used_at" nullable:"true" doc:"null: never. Up to a minute late."`
	ExpiresAt  *time.Time `json:"expires_at" nullable:"true" doc:"null: never."`
}

// NewPAT contains the fields of a new token.
type NewPAT struct {
	Name      string     `json:"name" minLength:"1" maxLength:"200"`
	ExpiresAt *time.Time `json:"expires_at,omitempty" nullable:"true" doc:"null: never, or together with the token that authenticates this request."`
}

// Create creates a token with the actor's roles and returns it with its plaintext. A token created with another token has no
// more permissions and expires no later.
func (s PATs) Create(ctx context.Context, who *auth.Actor, n NewPAT) (PAT, error) {
	now := s.svc.Now()
	if strings.TrimSpace(n.Name) == "" {
		return PAT{}, newInvalidValueError("name", "write a name of 1 to 200 characters")
	}
	if n.ExpiresAt != nil && !n.ExpiresAt.After(now) {
		return PAT{}, newInvalidValueError("expires_at", "write a time in the future, or null for a token that does not expire")
	}
	end, err := s.chooseExpiry(ctx, who, n.ExpiresAt)
	if err != nil {
		return PAT{}, err
	}
	user, err := s.svc.Users().EnsureExists(ctx, who)
	if err != nil {
		return PAT{}, err
	}
	plain := auth.NewPAT()
	p, err := s.svc.Store.PATs().Insert(ctx, store.PAT{
		ID:        s.svc.NewID(),
		UserID:    user,
		Name:      n.Name,
		Prefix:    auth.CutVisiblePATPrefix(plain),
		Hash:      auth.Hash(plain),
		Roles:     auth.ListRoleNames(who.Roles),
		TenantID:  who.Tenant,
		Source:    store.SourceAPI,
		ExpiresAt: end,
	})
	if err != nil {
		return PAT{}, mapNotFound(err, "user")
	}
	v := viewPAT(&p, now)
	v.Token = plain
	return v, s.writeEvent(ctx, who, audit.PATCreated, &p)
}

// chooseExpiry returns when a new token expires; nil means never.
func (s PATs) chooseExpiry(ctx context.Context, who *auth.Actor, until *time.Time) (time.Time, error) {
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
		return end, newInvalidValueError("expires_at", "a token created with another token must not expire later than that token")
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
		return "", &core.Error{
			Kind:   core.Forbidden,
			Code:   core.CodeForbidden,
			Public: "a token needs a user, and this credential belongs to none",
		}
	}
	u := store.User{
		ID:       s.svc.NewID(),
		Email:    who.Email,
		Name:     who.Name,
		Subject:  who.Subject,
		Roles:    auth.ListRoleNames(who.Roles),
		TenantID: who.Tenant,
		Status:   store.UserActive,
		RolesAt:  who.IssuedAt,
	}
	if _, err := NormalizeAddress(u.Email); err != nil {
		u.Email = ""
	}
	for range 2 { // the second round omits an address that another user has
		if u.Email == "" {
			u.Email = u.ID + "@identity-provider.invalid"
		}
		made, err := s.svc.Store.Users().Insert(ctx, u)
		if err == nil {
			return made.ID, s.svc.publishChange(ctx, who, created, "user", made.ID, who.Tenant, nil, nil)
		}
		if errors.Is(err, store.ErrNotFound) {
			return "", newNotFoundError("tenant in the token")
		}
		if !errors.Is(err, store.ErrExists) {
			return "", err
		}
		if known, err := s.svc.Store.Users().GetBySubject(ctx, who.Subject); err == nil { // another request has just created the user
			return known.ID, nil
		}
		u.Email = ""
	}
	return "", newConflictError(CodeConflict, "your user could not be created; try again")
}

// List lists the actor's tokens, or those of all users if the actor may see them.
func (s PATs) List(ctx context.Context, who *auth.Actor, everybodys bool, page Page) (List[PAT], error) {
	now := s.svc.Now()
	after, err := page.parseCursor()
	if err != nil {
		return List[PAT]{}, err
	}
	list := List[PAT]{Cursor: func(p PAT) string { return formatCursor(p.CreatedAt, p.ID) }}
	view := func(p *store.PAT) PAT { return viewPAT(p, now) }
	switch {
	case everybodys:
		if _, err := s.svc.authorize(ctx, who, auth.TokensOfOthers, ""); err != nil {
			return List[PAT]{}, err
		}
		if who.Tenant != "" { // possible only if roles are not checked
			return List[PAT]{}, NewMissingRoleError(auth.TokensOfOthers)
		}
		list.All = viewRecords(s.svc.Store.PATs().ListByUser(ctx, "", after, page.Limit), view)
	case who.UserID == "":
		return newList[PAT](nil, Page{}, list.Cursor)
	default:
		list.All = viewRecords(s.svc.Store.PATs().ListByUser(ctx, who.UserID, after, page.Limit), view)
	}
	return list, nil
}

// Get returns one of the actor's tokens, or any token for an owner.
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

// Revoke ends a token at once and permanently. Only its user can revoke it.
func (s PATs) Revoke(ctx context.Context, who *auth.Actor, id string, m Match) error {
	now := s.svc.Now()
	p, changed, err := s.svc.Store.PATs().Revoke(ctx, id, func(p *store.PAT) error {
		switch {
		case isOwnPAT(who, p):
			return m.Check(viewPAT(p, now))
		case canSeeAllPATs(who):
			return &core.Error{
				Kind: core.Forbidden, Status: http.StatusForbidden, Code: core.CodeForbidden,
				Public: "only its user can revoke a token; to end all access of a user, disable the user",
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

// writeEvent writes an audit event about a token.
func (s PATs) writeEvent(ctx context.Context, who *auth.Actor, kind string, p *store.PAT) error {
	var e audit.Payload
	e.AddStr("actor", who.ID)
	e.AddStr("user", p.UserID)
	e.AddStr("id", p.ID)
	e.AddStr("name", p.Name)
	e.AddStr("prefix", p.Prefix)
	e.AddStrs("roles", p.Roles)
	if kind == audit.PATCreated && !p.ExpiresAt.IsZero() {
		e.AddStr("expires_at", formatTime(p.ExpiresAt))
	}
	return s.svc.writeEvent(context.WithoutCancel(ctx), p.TenantID, kind, &e)
}

func viewPAT(p *store.PAT, now time.Time) PAT {
	v := PAT{
		ID: p.ID, Name: p.Name, Prefix: p.Prefix, UserID: p.UserID, Roles: p.Roles, Status: DescribePATStatus(p, now), CreatedAt: p.CreatedAt,
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

// DescribePATStatus returns the state of a token.
func DescribePATStatus(p *store.PAT, now time.Time) string {
	switch {
	case !p.RevokedAt.IsZero():
		return PATRevoked
	case !p.ExpiresAt.IsZero() && !now.Before(p.ExpiresAt):
		return PATExpired
	}
	return PATActive
}
