package auth

import (
	"slices"
	"time"
)

// The methods of authentication.
const (
	ViaSession = "session" // the console
	ViaPAT     = "pat"     // a personal access token
	ViaJWT     = "jwt"     // a token of the identity provider
	ViaCLI     = "cli"     // the headgate command, which opens the database directly
)

// Actor is an authenticated administrator. It is immutable.
type Actor struct {
	ID     string // stable, and shown in the audit log: "user:…", "pat:…", "jwt:…", "cli"
	UserID string // "" if the actor is not a stored user
	Name   string // the display name
	Roles  []Role // all of the platform, or all of one tenant
	Tenant string // the tenant of the roles; "" means the platform
	// Subject and Email identify the actor at the identity provider: its address and its name for them in one text, and an
	// e-mail address that can be "". Both are "" for other actors.
	Subject, Email string
	// IssuedAt is when the identity provider issued the token. It is zero if unknown, or for other credentials.
	IssuedAt time.Time
	Via      string
	// Unchecked disables permission checks: any valid credential may do everything. Tenants remain separate.
	Unchecked bool
}

// Can reports whether one of the actor's roles grants p.
func (a *Actor) Can(p Permission) bool {
	return a.Unchecked || slices.ContainsFunc(a.Roles, func(r Role) bool { return r.Grants(p) })
}

// Is reports whether the actor has the role.
func (a *Actor) Is(r Role) bool { return slices.Contains(a.Roles, r) }

// FindReach returns the tenant that a request applies to, "" for all tenants, and false if the actor may not access it.
// The default of an actor with a tenant is that tenant.
func (a *Actor) FindReach(tenant string) (string, bool) {
	if a.Tenant == "" {
		return tenant, true
	}
	return a.Tenant, tenant == "" || tenant == a.Tenant
}

// Person identifies the person behind the actor. It is the same for all tokens and sessions of a user and for their tokens
// of the identity provider. Approvals by a second person compare it.
func (a *Actor) Person() string {
	switch {
	case a.Subject != "":
		return "subject:" + a.Subject
	case a.UserID != "":
		return "user:" + a.UserID
	}
	return a.ID
}
