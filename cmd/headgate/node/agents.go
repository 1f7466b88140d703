package node

import (
	"fmt"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/agents"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers/a2a"
)

// buildAgents builds the agents.
func buildAgents(rt *snapshot.Runtime, cfg *config.Config) error {
	all := make(agents.Agents, len(cfg.Agents))
	for _, name := range slices.Sorted(maps.Keys(cfg.Agents)) {
		c := cfg.Agents[name]
		dial := upstream.PublicDialer{AllowPrivate: c.AllowPrivate, Timeout: c.Timeouts.Connect}
		client := upstream.NewLean(upstream.LeanOptions{Dial: dial.Dial})
		rt.Clients = append(rt.Clients, client)
		set := a2a.Settings{
			URL: c.URL, CardURL: c.CardURL, AllowPrivate: c.AllowPrivate, MaxAnswer: int(c.MaxAnswer), Client: client,
			Timeouts: upstream.Timeouts(c.Timeouts),
		}
		for _, h := range slices.Sorted(maps.Keys(c.Headers)) {
			set.Header = append(set.Header, upstream.Field{Name: h, Value: c.Headers[h].Reveal()})
		}
		up, err := a2a.New(set)
		if err != nil {
			return fmt.Errorf("agents.%s.%w", name, err)
		}
		agent := &agents.Agent{Name: name, Upstream: up, Restores: c.Trust == config.MCPRestore, Price: int64(c.PricePerCall)}
		if len(c.PushTo) > 0 {
			n := a2a.NotifierSettings{URLs: c.PushTo, AllowPrivate: c.AllowPrivate, Client: client}
			if agent.Notifier, err = a2a.NewNotifier(n); err != nil {
				return fmt.Errorf("agents.%s.%w", name, err)
			}
		}
		for _, who := range c.Access {
			agent.Access = append(agent.Access, agents.Access(who))
		}
		all[name] = agent
	}
	rt.Agents = agents.NewSet(all)
	return nil
}

// callPrices looks up the prices of tools and agents, which are charged per call.
type callPrices struct{ rt *snapshot.Runtime }

// PriceCall returns the price of a call, in units of 1e-10 USD, by the names of provider and model in records.
func (p callPrices) PriceCall(provider, model string) int64 {
	return p.rt.Servers.PriceCall(provider, model) + p.rt.Agents.PriceCall(provider, model)
}
