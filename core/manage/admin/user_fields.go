package admin

import (
	"errors"
	"net/mail"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// mapUserError turns errors of the store into answers. what is the record whose id may be unknown.
func mapUserError(err error, what string) error {
	switch {
	case errors.Is(err, store.ErrExists):
		return newConflictError(CodeConflict, "another user already has this e-mail address")
	case errors.Is(err, store.ErrLastOwner):
		return newConflictError(CodeLastOwner, "this is the last active owner; create another owner first")
	}
	return mapNotFound(err, what)
}

// hashPassword returns the hash of the password in the request, or "" without a password. Hashing is slow, so call it
// outside a transaction.
func (c *UserChange) hashPassword() (string, error) {
	if c.Password == nil {
		return "", nil
	}
	if err := auth.CheckNewPassword(*c.Password); err != nil {
		return "", newInvalidValueError("password", "%s", err.Error())
	}
	return auth.HashPassword(*c.Password), nil
}

func (c *UserChange) apply(u *store.User, hash string) error {
	if c.Email != nil {
		email, err := NormalizeAddress(*c.Email)
		if err != nil {
			return err
		}
		if u.Email != email { // the link was sent to the old one
			u.Invitation, u.InvitedUntil = "", time.Time{}
		}
		u.Email = email
	}
	if c.Name != nil {
		if strings.TrimSpace(*c.Name) == "" {
			return newInvalidValueError("name", "write a name of 1 to 200 characters")
		}
		u.Name = *c.Name
	}
	if c.Status != nil {
		u.Status = *c.Status
		if u.Status != store.UserActive {
			u.Invitation, u.InvitedUntil = "", time.Time{}
		}
	}
	if hash != "" {
		u.Password, u.MustChange = hash, c.temporary
		u.Invitation, u.InvitedUntil = "", time.Time{}
	}
	if c.TenantID != nil {
		u.TenantID = *c.TenantID
	}
	if c.Roles == nil && c.TenantID == nil {
		return nil
	}
	names := u.Roles
	if c.Roles != nil {
		names = *c.Roles
	}
	roles, err := NormalizeRoles(names, u.TenantID)
	u.Roles = roles
	return err
}

// NormalizeAddress normalizes an e-mail address for storage.
func NormalizeAddress(text string) (string, error) {
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text || len(text) > 254 {
		return "", newInvalidValueError("email", "write an address such as ada@example.com")
	}
	return strings.ToLower(text), nil
}

// NormalizeRoles normalizes role names of a tenant, or of the platform if tenant is "", for storage.
func NormalizeRoles(names []string, tenant string) ([]string, error) {
	for _, n := range names {
		if _, ok := auth.ParseRole(n); !ok {
			return nil, newInvalidValueError("roles", "unknown role; write owner, policy-admin, billing-admin, auditor, admin, developer or viewer")
		}
	}
	roles := auth.FilterKnownRoles(names)
	if err := auth.CheckRoles(roles, tenant); err != nil {
		return nil, newInvalidValueError("roles", "%s", err.Error())
	}
	return auth.ListRoleNames(roles), nil
}

func viewUser(u *store.User) User {
	v := User{
		ID: u.ID, Email: u.Email, Name: u.Name, Roles: slices.Clone(u.Roles), Status: u.Status, HasPassword: u.Password != "",
		MustChange: u.MustChange, InvitedUntil: nilIfZero(u.InvitedUntil), CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
	}
	if v.Roles == nil {
		v.Roles = []string{}
	}
	if u.TenantID != "" {
		tenant := u.TenantID
		v.TenantID = &tenant
	}
	v.LastSignInAt = nilIfZero(u.SignedInAt)
	return v
}
