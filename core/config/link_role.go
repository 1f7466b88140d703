package config

import "slices"

// LinkRole says which compiled-in stage a plugin stands in for; "" is not set.
type LinkRole string

// The roles. Each has the name of the stage that it stands in for.
const (
	RolePII       LinkRole = "pii"
	RolePolicy    LinkRole = "policy"
	RoleGuardrail LinkRole = "guardrail"
	RoleRateLimit LinkRole = "ratelimit"
	RoleBudget    LinkRole = "budget"
	RoleCache     LinkRole = "cache"
)

var _ choices = LinkRole("")

// Values lists the accepted words.
func (LinkRole) Values() []string {
	return []string{"pii", "policy", "guardrail", "ratelimit", "budget", "cache"}
}

// IsPII reports whether the link finds personal data: it is the stage pii, or a plugin in its role.
func (l *Link) IsPII() bool { return isPII(l) }

// matchRole matches a plugin in one of the roles.
func matchRole(roles ...LinkRole) test {
	return func(l *Link) bool { return slices.Contains(roles, l.Role) }
}

// testRole returns the test of a compiled-in stage and of every plugin in its role.
func testRole(r LinkRole) test { return matchStage(string(r)).joinOr(matchRole(r)) }

// completeRoles takes the role of a module from its manifest where the link writes none. The order rules then apply
// even to modules that the configuration does not describe.
func (c *checker) completeRoles() {
	if c.known.Role == nil {
		return
	}
	for i := range c.cfg.Chain {
		if l := &c.cfg.Chain[i]; l.Wasm != "" && l.Role == "" {
			l.Role = LinkRole(c.known.Role(c.cfg.Plugins.Dir, l.Wasm))
		}
	}
}

// checkRole checks the role that a link writes.
func (c *checker) checkRole(path string, l Link) {
	switch {
	case l.Role == "":
	case l.Stage != "":
		c.addProblem(path+".role", "is for plugins: the stage "+l.Stage+" has its own", "remove it")
	case l.Plugins != "" || l.GuardrailPlugins != "":
		c.addProblem(path+".role", "is for a link that runs one plugin", "name the plugin in a separate link, with wasm: file.wasm or process: file")
	}
}
