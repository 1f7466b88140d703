package auth

import (
	"slices"
	"time"
)

// Ways in which an actor has shown who they are.
const (
	ViaSession = "session" // the console
	ViaPAT     = "pat"     // a personal access token
	ViaJWT     = "jwt"     // a token of the identity provider
	ViaCLI     = "cli"     // the headgate command, which holds the database itself
)

// Actor is who administers. It is never changed once it is made.
type Actor struct {
	ID     string // stable, and shown in the audit chain: "user:…", "pat:…", "jwt:…", "cli"
	UserID string // "" when there is no user behind it
	Name   string // for people to read
	Roles  []Role // all of the platform, or all of one tenant
	Tenant string // id of the tenant whose roles they are; "": the platform
	// Subject and Email are who the identity provider says they are: its address and its name for them in one text, and
	// an address that may be "". Both are "" for anybody else.
	Subject, Email string
	// IssuedAt is when the identity provider issued the token; zero: it does not say, or it was none of its tokens.
	IssuedAt time.Time
	Via      string
	// Unchecked lifts the table of permissions: any valid credential will do. Tenants stay apart.
	Unchecked bool
}

// Can reports whether one of the actor's roles grants p.
func (a *Actor) Can(p Permission) bool {
	return a.Unchecked || slices.ContainsFunc(a.Roles, func(r Role) bool { return r.Grants(p) })
}

// Is reports whether the actor has the role.
func (a *Actor) Is(r Role) bool { return slices.Contains(a.Roles, r) }

// Reach narrows the tenant that a request names to what the actor may see: a tenant's actor that names none means its
// own, and one that names another is refused (false). "" is every tenant.
func (a *Actor) Reach(tenant string) (string, bool) {
	if a.Tenant == "" {
		return tenant, true
	}
	return a.Tenant, tenant == "" || tenant == a.Tenant
}

// Person is who the actor is whatever they show: the same for all tokens and sessions of one user, and for what the
// identity provider says of them. Where a second person is needed, it is this that must differ.
func (a *Actor) Person() string {
	switch {
	case a.Subject != "":
		return "subject:" + a.Subject
	case a.UserID != "":
		return "user:" + a.UserID
	}
	return a.ID
}
