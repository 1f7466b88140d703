package auth

import (
	"errors"
	"slices"
)

// Role is what a user may do: the roles of the specification, and the auditor.
type Role string

// The roles. The first four belong to the platform, the others to one tenant.
const (
	RoleOwner        Role = "owner"
	RolePolicyAdmin  Role = "policy-admin"
	RoleBillingAdmin Role = "billing-admin"
	RoleAuditor      Role = "auditor" // reads everything, changes nothing; not in the specification
	RoleAdmin        Role = "admin"
	RoleDeveloper    Role = "developer"
	RoleViewer       Role = "viewer"
)

// orgAdmin is another name of the owner that some specifications use.
const orgAdmin = "org-admin"

// ListRoles returns all roles, the most powerful first.
func ListRoles() []Role {
	return []Role{RoleOwner, RolePolicyAdmin, RoleBillingAdmin, RoleAuditor, RoleAdmin, RoleDeveloper, RoleViewer}
}

// ParseRole parses the name of a role. It returns false for an unknown name.
func ParseRole(name string) (Role, bool) {
	if name == orgAdmin {
		return RoleOwner, true
	}
	r := Role(name)
	return r, slices.Contains(ListRoles(), r)
}

// IsPlatform reports whether the role covers the whole installation instead of one tenant.
func (r Role) IsPlatform() bool {
	return r == RoleOwner || r == RolePolicyAdmin || r == RoleBillingAdmin || r == RoleAuditor
}

// The errors of CheckRoles.
var (
	ErrNoRole = errors.New(
		"no role is given: one of owner, policy-admin, billing-admin and auditor, or, with a tenant, of admin, developer and viewer",
	)
	ErrMixedRoles = errors.New(
		"roles of the platform (owner, policy-admin, billing-admin, auditor) and of a tenant (admin, developer, viewer) are mixed; give one kind only",
	)
	ErrNoTenant     = errors.New("the roles admin, developer and viewer belong to a tenant, but none is named")
	ErrTenantTooFar = errors.New("the roles owner, policy-admin, billing-admin and auditor are for all tenants, but one is named")
)

// CheckRoles checks the roles of a user of a tenant, or of the platform if tenant is "".
func CheckRoles(roles []Role, tenant string) error {
	platform := 0
	for _, r := range roles {
		if r.IsPlatform() {
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

// ParseClaims returns the roles and the tenant in claims of an identity provider. A platform role makes the tenant
// irrelevant. anyRole accepts an actor without roles.
func ParseClaims(names []string, tenant string, anyRole bool) ([]Role, string, error) {
	roles := FilterKnownRoles(names)
	if len(roles) > 0 && roles[0].IsPlatform() {
		tenant = ""
	}
	err := CheckRoles(roles, tenant)
	if anyRole && errors.Is(err, ErrNoRole) {
		err = nil
	}
	return roles, tenant, err
}

// ListRoleNames returns the names of roles for storage and display.
func ListRoleNames(roles []Role) []string {
	out := make([]string, len(roles))
	for i, r := range roles {
		out[i] = string(r)
	}
	return out
}

// FilterKnownRoles returns the known roles among names without duplicates, the most powerful first.
func FilterKnownRoles(names []string) []Role {
	var out []Role
	for _, r := range ListRoles() {
		if slices.ContainsFunc(names, func(n string) bool { k, ok := ParseRole(n); return ok && k == r }) {
			out = append(out, r)
		}
	}
	return out
}
