package config

import (
	"maps"
	"slices"
	"strings"

	"github.com/headgate-dev/headgate/core/body/match"
)

// checkAgents checks the agents.
func (c *checker) checkAgents() {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Agents)) {
		a, path := c.cfg.Agents[name], joinPath("agents", name)
		c.checkID(path, name)
		if a.URL == "" {
			c.addProblem(path+".url", "is missing", "write url: https://agents.example.com/planner")
		} else {
			c.checkPeerURL(path+".url", a.URL, a.AllowPrivate, "https://agents.example.com/planner")
		}
		if a.CardURL != "" {
			c.checkPeerURL(path+".card_url", a.CardURL, a.AllowPrivate, "https://agents.example.com/.well-known/agent-card.json")
		}
		for _, h := range slices.Sorted(maps.Keys(a.Headers)) {
			c.checkHeader(joinPath(path+".headers", h), h, a.Headers[h])
			if low := strings.ToLower(h); strings.HasPrefix(low, "a2a-") || low == "accept" {
				c.addProblem(joinPath(path+".headers", h), "is a header that the gateway sets itself", "remove it")
			}
		}
		for i, u := range a.PushTo {
			c.checkPeerURL(appendIndex(path+".push_to", i), u, a.AllowPrivate, "https://hooks.example.com/a2a")
			if strings.Contains(u, "?") {
				c.addProblem(appendIndex(path+".push_to", i), "contains a query", "remove it: clients choose it")
			}
		}
		if len(a.PushTo) > 0 && c.cfg.Server.PublicURL == "" {
			c.addProblem(path+".push_to", "needs the address at which agents reach the gateway",
				"write public_url: https://gateway.example.com below server")
		}
		if a.PricePerCall < 0 {
			c.addProblem(path+".price_per_call", "is below 0", "write 0 or more")
		}
		for i := range a.Access {
			checkAgentAccess(c, appendIndex(path+".access", i), &a.Access[i])
		}
		if c.isWritten(path+".access") && len(a.Access) == 0 {
			c.addWarning(path+".access", "is empty, so every key whose scopes allow it may use the agent", "remove it, or write access: [{tenants: [default]}]")
		}
	}
	if u := c.cfg.Server.PublicURL; u != "" {
		c.checkPeerURL("server.public_url", u, true, "https://gateway.example.com")
	}
}

// checkAgentAccess checks who may use an agent.
func checkAgentAccess(c *checker, path string, a *AgentAccess) {
	c.checkTexts(path+".tenants", a.Tenants, "a glob of ids of tenants")
	c.checkTexts(path+".keys", a.Keys, "a glob of ids of keys")
	for k, id := range a.Keys {
		if id != "" && !match.CanBeID(id) {
			c.addProblem(appendIndex(path+".keys", k), "cannot be the id of a key", "write the id that `headgate keys list` shows")
		}
	}
}
