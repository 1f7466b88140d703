package auth

import (
	"errors"
	"slices"
)

// Role is what somebody who administers is, as the specification names it.
type Role string

// The roles. The first three are of the platform, the others of one tenant.
const (
	RoleOwner        Role = "owner"
	RolePolicyAdmin  Role = "policy-admin"
	RoleBillingAdmin Role = "billing-admin"
	RoleAdmin        Role = "admin"
	RoleDeveloper    Role = "developer"
	RoleViewer       Role = "viewer"
)

// orgAdmin is another name of the owner, which some descriptions use.
const orgAdmin = "org-admin"

// Roles are all roles, the mightiest first.
func Roles() []Role {
	return []Role{RoleOwner, RolePolicyAdmin, RoleBillingAdmin, RoleAdmin, RoleDeveloper, RoleViewer}
}

// ParseRole reads the name of a role; false: there is none with it.
func ParseRole(name string) (Role, bool) {
	if name == orgAdmin {
		return RoleOwner, true
	}
	r := Role(name)
	return r, slices.Contains(Roles(), r)
}

// Platform reports whether the role is for the whole installation rather than one tenant.
func (r Role) Platform() bool {
	return r == RoleOwner || r == RolePolicyAdmin || r == RoleBillingAdmin
}

// What may be wrong with somebody's roles.
var (
	ErrNoRole       = errors.New("no role is given: one of owner, policy-admin and billing-admin, or, with a tenant, of admin, developer and viewer")
	ErrMixedRoles   = errors.New("roles of the platform (owner, policy-admin, billing-admin) and of a tenant (admin, developer, viewer) are mixed; give one kind only")
	ErrNoTenant     = errors.New("the roles admin, developer and viewer are those of a tenant, and none is named")
	ErrTenantTooFar = errors.New("the roles owner, policy-admin and billing-admin are for all tenants, and one is named")
)

// CheckRoles reports what is wrong with the roles of somebody of a tenant; "" is the platform.
func CheckRoles(roles []Role, tenant string) error {
	platform := 0
	for _, r := range roles {
		if r.Platform() {
			platform++
		}
	}
	switch {
	case len(roles) == 0:
		return ErrNoRole
	case platform > 0 && platform < len(roles):
		return ErrMixedRoles
	case platform == 0 && tenant == "":
		return ErrNoTenant
	case platform > 0 && tenant != "":
		return ErrTenantTooFar
	}
	return nil
}

// ParseClaims are the roles that an identity provider names, and the tenant that they are for: a role of the platform makes
// what it says of a tenant irrelevant. anyRole takes somebody without a role.
func ParseClaims(names []string, tenant string, anyRole bool) ([]Role, string, error) {
	roles := KnownRoles(names)
	if len(roles) > 0 && roles[0].Platform() {
		tenant = ""
	}
	err := CheckRoles(roles, tenant)
	if anyRole && errors.Is(err, ErrNoRole) {
		err = nil
	}
	return roles, tenant, err
}

// RoleNames are roles as they are stored and shown.
func RoleNames(roles []Role) []string {
	out := make([]string, len(roles))
	for i, r := range roles {
		out[i] = string(r)
	}
	return out
}

// KnownRoles are the roles among names, each once, the mightiest first; what else there is, is left out.
func KnownRoles(names []string) []Role {
	var out []Role
	for _, r := range Roles() {
		if slices.ContainsFunc(names, func(n string) bool { k, ok := ParseRole(n); return ok && k == r }) {
			out = append(out, r)
		}
	}
	return out
}
