package config

import (
	"net"
	"net/url"
	"regexp"
	"strings"
)

// nodeName matches names of audit chains.
var nodeName = regexp.MustCompile(`^[a-z0-9][a-z0-9._-]{0,62}$`)

// minSecret is the minimum length of the secret that seals messages of a fleet.
const minSecret = 16

func (c *checker) checkFleet() {
	f := &c.cfg.Fleet
	secret := f.Secret.Reveal()
	if secret != "" && len(secret) < minSecret {
		c.addProblem("fleet.secret", "is too short", "write at least 16 characters, as openssl rand -hex 32 prints them")
	}
	if f.Node != "" {
		if !nodeName.MatchString(f.Node) {
			c.addProblem(
				"fleet.node",
				"is not a name",
				"use lower-case letters, digits, dash, dot and underscore, at most 63, beginning with a letter or digit",
			)
		}
	}
	if secret == "" && c.cfg.Role.Keeps() && c.isOpenAddress(c.cfg.Server.Listen) {
		c.addProblem("fleet.secret", "is not set, and the internal API would disclose all tenants, routes and keys to other machines",
			"write fleet: {secret: …}, or set HEADGATE_GATEWAY_INTERNAL_SECRET, or listen on 127.0.0.1, or write role: gateway")
	}
	if f.ControlPlane == "" {
		return
	}
	if c.cfg.Role != RoleGateway {
		c.addProblem("fleet.control_plane", "is for nodes", "write role: gateway, or remove it")
	}
	if secret == "" {
		c.addProblem("fleet.secret", "is not set, and the control plane requires it", "write the secret of the control plane")
	}
	if !strings.HasPrefix(c.cfg.Store.URL, "sqlite:") || strings.HasPrefix(c.cfg.Store.URL, "sqlite::memory:") {
		c.addProblem("store.url", "is not an SQLite file, in which a node stores its copy of the configuration and unsent records",
			`write url: "sqlite:node.db", or share the database and take fleet.control_plane away`)
	}
	u, err := url.Parse(f.ControlPlane)
	switch {
	case err != nil || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https" || u.RawQuery != "" || u.Fragment != "":
		c.addProblem("fleet.control_plane", "is not an http or https URL", "write control_plane: https://host:8080")
	case u.User != nil:
		c.addProblem("fleet.control_plane", "contains a user or password", "write fleet: {secret: …}")
	case u.Scheme == "http" && !isLoopback(u.Hostname()):
		c.addWarning("fleet.control_plane", "is plain http to another machine: the secret travels unencrypted", "write https://")
	}
}

// isOpenAddress reports whether other machines can reach an address.
func (c *checker) isOpenAddress(address string) bool {
	host, _, err := net.SplitHostPort(address)
	return err == nil && !isLoopback(host)
}
