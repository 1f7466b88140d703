package admin

import (
	"context"
	"errors"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CodeLastOwner is the code of refusing to remove the last owner.
const CodeLastOwner = "LAST_OWNER"

// User is a person who administers the gateway.
type User struct {
	ID           string     `json:"id" example:"k3vqx7mz2hj4n6ta"`
	Email        string     `json:"email" example:"ada@example.com"`
	Name         string     `json:"name" example:"Ada"`
	Roles        []string   `json:"roles" nullable:"false" doc:"Either platform roles (owner, policy-admin, billing-admin, auditor) or roles of one tenant (admin, developer, viewer)." example:"[\"viewer\"]"`
	TenantID     *string    `json:"tenant_id" nullable:"true" doc:"null: a user of the platform."`
	Status       string     `json:"status" enum:"active,disabled"`
	HasPassword  bool       `json:"has_password" doc:"Whether the user can sign in with a password."`
	MustChange   bool       `json:"must_change_password" doc:"Whether the console asks the user for another password: somebody else has chosen this one."`
	InvitedUntil *time.Time `json:"invited_until" nullable:"true" doc:"Until when the user's invitation is valid. null: there is none."`
	CreatedAt    time.Time  `json:"created_at"`
	UpdatedAt    time.Time  `json:"updated_at"`
	LastSignInAt *time.Time `json:"last_sign_in_at" nullable:"true" doc:"null: never."`
}

// NewUser contains the fields of a new user.
type NewUser struct {
	NewMember
	TenantID string `json:"tenant_id,omitempty" maxLength:"128" doc:"Required for roles of a tenant and not allowed otherwise."`
}

// UserChange contains the fields that a request sends. A nil field keeps its value.
type UserChange struct {
	Email    *string   `json:"email,omitempty" minLength:"3" maxLength:"254" example:"ada@example.com"`
	Name     *string   `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Roles    *[]string `json:"roles,omitempty" nullable:"false" minItems:"1" maxItems:"6" example:"[\"developer\"]"`
	TenantID *string   `json:"tenant_id,omitempty" maxLength:"128" doc:"Empty: the platform. It must fit the roles."`
	Status   *string   `json:"status,omitempty" enum:"active,disabled" doc:"Sessions, tokens and JWTs of a disabled user do not work."`
	Password *string   `json:"password,omitempty" minLength:"12" maxLength:"1024" doc:"A new password ends the user's sessions. The console asks the user for another one."`

	temporary bool // the password was chosen by somebody else
}

// Create creates a user.
func (s Users) Create(ctx context.Context, who *auth.Actor, n NewUser) (User, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.UsersWrite, n.TenantID)
	if err != nil {
		return User{}, err
	}
	return s.add(ctx, who, tenant, n.NewMember, "user")
}

// refuseTakenEmail returns the error for an e-mail address that is taken. Admins of a tenant learn that only about
// their own users; probing for others writes an audit event of the platform.
func (s Users) refuseTakenEmail(ctx context.Context, who *auth.Actor, email string) error {
	if u, err := s.svc.Store.Users().GetByEmail(ctx, email); err == nil && u.TenantID == who.Tenant {
		return mapUserError(store.ErrExists, "user")
	}
	var e audit.Payload
	e.AddStr("actor", who.ID)
	e.AddStr("permission", string(auth.MembersWrite))
	if err := s.svc.writeEvent(ctx, who.Tenant, audit.TenantScopeViolation, &e); err != nil {
		return err
	}
	return newInvalidValueError("email", "this address cannot be used here; write another one or ask an owner of the platform")
}

// add creates a user of a tenant, or of the platform if tenant is "".
func (s Users) add(ctx context.Context, who *auth.Actor, tenant string, n NewMember, resource string) (User, error) {
	u := store.User{ID: s.svc.NewID(), TenantID: tenant, Status: store.UserActive}
	c := UserChange{Email: &n.Email, Name: &n.Name, Roles: &n.Roles}
	if n.Password != "" {
		c.Password, c.temporary = &n.Password, who.Via != auth.ViaCLI
	}
	hash, err := c.hashPassword()
	if err == nil {
		err = c.apply(&u, hash)
	}
	if err != nil {
		return User{}, err
	}
	email := u.Email
	u, err = s.svc.Store.Users().Insert(ctx, u)
	if errors.Is(err, store.ErrExists) && who.Tenant != "" {
		return User{}, s.refuseTakenEmail(ctx, who, email)
	}
	if err != nil {
		return User{}, mapUserError(err, "tenant")
	}
	return viewUser(&u), s.svc.publishChange(ctx, who, created, resource, u.ID, tenant, nil, viewUser(&u))
}

// List lists the users that the actor may see.
func (s Users) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[User], error) {
	tenant, err := s.svc.authorize(ctx, who, auth.UsersRead, tenant)
	if err != nil {
		return List[User]{}, err
	}
	return s.list(ctx, tenant, page)
}

func (s Users) list(ctx context.Context, tenant string, page Page) (List[User], error) {
	after, err := page.parseCursor()
	return List[User]{
		Cursor: func(u User) string { return formatCursor(u.CreatedAt, u.ID) },
		All:    viewRecords(s.svc.Store.Users().ListByOwner(ctx, tenant, after, page.Limit), viewUser),
	}, err
}

// Get returns a user.
func (s Users) Get(ctx context.Context, who *auth.Actor, id string) (User, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.UsersRead, "")
	if err != nil {
		return User{}, err
	}
	return s.read(ctx, tenant, id)
}

// read returns a user of a tenant, or any user if tenant is "".
func (s Users) read(ctx context.Context, tenant, id string) (User, error) {
	u, err := s.svc.Store.Users().Get(ctx, id)
	if err == nil && tenant != "" && u.TenantID != tenant {
		err = store.ErrNotFound
	}
	if err != nil {
		return User{}, mapNotFound(err, "user")
	}
	return viewUser(&u), nil
}

// Update changes the given fields.
func (s Users) Update(ctx context.Context, who *auth.Actor, id string, c UserChange, m Match) (User, error) {
	named := ""
	if c.TenantID != nil {
		named = *c.TenantID
	}
	tenant, err := s.svc.authorize(ctx, who, auth.UsersWrite, named)
	if err != nil {
		return User{}, err
	}
	return s.change(ctx, who, who.Tenant, tenant, id, c, m, "user")
}

// change changes a user of the tenant within, or any user if within is "". An actor of a tenant cannot move a user out of
// it.
func (s Users) change(
	ctx context.Context,
	who *auth.Actor,
	within, stays, id string,
	c UserChange,
	m Match,
	resource string,
) (User, error) {
	var was changedRecord
	if within != "" && c.TenantID != nil {
		c.TenantID = &stays
	}
	hash, err := c.hashPassword()
	if err != nil {
		return User{}, err
	}
	c.temporary = id != who.UserID && who.Via != auth.ViaCLI
	u, err := s.svc.Store.Users().Change(ctx, id, func(u *store.User) error {
		if within != "" && u.TenantID != within {
			return store.ErrNotFound
		}
		if err := m.Check(was.storeView(viewUser(u))); err != nil {
			return err
		}
		return c.apply(u, hash)
	})
	if err != nil {
		return User{}, mapUserError(err, "user")
	}
	if u.Status != store.UserActive || hash != "" {
		if err := s.svc.Store.Sessions().DeleteByUser(ctx, id, [32]byte{}); err != nil {
			return User{}, err
		}
	}
	now := any(viewUser(&u))
	if hash != "" {
		now = struct {
			User
			Password string `json:"password"`
		}{viewUser(&u), masked}
	}
	return viewUser(&u), s.svc.publishChange(ctx, who, updated, resource, id, u.TenantID, was.view, now)
}

// Delete removes a user with their tokens and sessions, which end at once.
func (s Users) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	tenant, err := s.svc.authorize(ctx, who, auth.UsersWrite, "")
	if err != nil {
		return err
	}
	return s.remove(ctx, who, tenant, id, m, "user")
}

func (s Users) remove(ctx context.Context, who *auth.Actor, within, id string, m Match, resource string) error {
	var was changedRecord
	tenant := ""
	err := s.svc.Store.Users().Delete(ctx, id, func(u *store.User) error {
		tenant = u.TenantID
		if within != "" && u.TenantID != within {
			return store.ErrNotFound
		}
		return m.Check(was.storeView(viewUser(u)))
	})
	if err != nil {
		return mapUserError(err, "user")
	}
	return s.svc.publishChange(ctx, who, deleted, resource, id, tenant, was.view, nil)
}
