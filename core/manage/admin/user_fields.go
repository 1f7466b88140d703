package admin

import (
	"errors"
	"net/mail"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// mapUserError puts what a client reads in place of the store's errors. what is that whose id is unknown.
func mapUserError(err error, what string) error {
	switch {
	case errors.Is(err, store.ErrExists):
		return conflict(CodeConflict, "somebody has this e-mail address already")
	case errors.Is(err, store.ErrLastOwner):
		return conflict(CodeLastOwner, "this is the last owner who can act; make another one first")
	}
	return mapNotFound(err, what)
}

// hash is the hash of the password that is sent; "" when none is. It takes so long that no transaction should wait.
func (c *UserChange) hash() (string, error) {
	if c.Password == nil {
		return "", nil
	}
	if err := auth.CheckNewPassword(*c.Password); err != nil {
		return "", invalidValue("password", "%s", err.Error())
	}
	return auth.HashPassword(*c.Password), nil
}

func (c *UserChange) apply(u *store.User, hash string) error {
	if c.Email != nil {
		email, err := Address(*c.Email)
		if err != nil {
			return err
		}
		u.Email = email
	}
	if c.Name != nil {
		if strings.TrimSpace(*c.Name) == "" {
			return invalidValue("name", "write a name of 1 to 200 characters")
		}
		u.Name = *c.Name
	}
	if c.Status != nil {
		u.Status = *c.Status
	}
	if hash != "" {
		u.Password = hash
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
	roles, err := Roles(names, u.TenantID)
	u.Roles = roles
	return err
}

// Address is an e-mail address as it is stored, or what is wrong with it.
func Address(text string) (string, error) {
	a, err := mail.ParseAddress(text)
	if err != nil || a.Address != text || len(text) > 254 {
		return "", invalidValue("email", "write an address such as ada@example.com")
	}
	return strings.ToLower(text), nil
}

// Roles are role names as they are stored, or what is wrong with them for somebody of a tenant, "" for the platform.
func Roles(names []string, tenant string) ([]string, error) {
	for _, n := range names {
		if _, ok := auth.ParseRole(n); !ok {
			return nil, invalidValue("roles", "there is no such role; write some of owner, policy-admin, billing-admin, admin, developer and viewer")
		}
	}
	roles := auth.KnownRoles(names)
	if err := auth.CheckRoles(roles, tenant); err != nil {
		return nil, invalidValue("roles", "%s", err.Error())
	}
	return auth.RoleNames(roles), nil
}

func viewUser(u *store.User) User {
	v := User{
		ID: u.ID, Email: u.Email, Name: u.Name, Roles: slices.Clone(u.Roles), Status: u.Status, HasPassword: u.Password != "",
		CreatedAt: u.CreatedAt, UpdatedAt: u.UpdatedAt,
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
