package auth

import "slices"

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
