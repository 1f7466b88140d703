package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/store"
)

// changes are the record changes since an earlier version.
type changes struct {
	version int64
	all     bool                // everything may have changed
	ids     map[string][]string // ids by kind
}

func readChanges(ctx context.Context, db *store.DB, since int64) (*changes, error) {
	now, err := db.Config().ReadVersion(ctx)
	if err != nil {
		return nil, err
	}
	list, complete, err := db.Config().ListChanges(ctx, since)
	if err != nil {
		return nil, err
	}
	c := &changes{version: now, all: !complete, ids: map[string][]string{}}
	if complete && len(list) > 0 {
		c.version = list[len(list)-1].Version
	}
	seen := map[store.Change]bool{}
	for _, one := range list {
		if one.Version = 0; !seen[one] {
			seen[one] = true
			c.ids[one.Kind] = append(c.ids[one.Kind], one.ID)
		}
	}
	return c, nil
}

// touches reports whether a record of one of the kinds has, or may have, changed.
func (c *changes) touches(kinds ...string) bool {
	for _, k := range kinds {
		if len(c.ids[k]) > 0 {
			return true
		}
	}
	return c.all
}

// taker is a part of the gateway that is rebuilt from records when they change. If take fails, the part stays as it was
// and take is retried. The caller holds g.mu.
type taker struct {
	kinds []string
	take  func(g *gateway, ctx context.Context, c *changes) error
}

// takers are called in this order, each after a change of one of its kinds. Tenants and keys precede them.
var takers = []taker{
	{[]string{"vault_key"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.rec.vault.Refresh(ctx) }},
	{[]string{"provider"}, func(g *gateway, ctx context.Context, _ *changes) error { return refreshProviders(ctx, g) }},
	{[]string{"route"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.refreshRoutes(ctx) }},
	{[]string{"agent"}, func(g *gateway, ctx context.Context, _ *changes) error { return refreshAgents(ctx, g) }},
	{[]string{"mcp_server", "virtual_server"}, func(g *gateway, ctx context.Context, _ *changes) error { return refreshServers(ctx, g) }},
	{[]string{"price"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.refreshPrices(ctx) }},
	{[]string{"budget"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.refreshBudgets(ctx) }},
	{[]string{"approval"}, func(g *gateway, ctx context.Context, c *changes) error { return g.consents.change(ctx, c) }},
	{[]string{"tool_pin"}, func(g *gateway, ctx context.Context, c *changes) error { return g.pins.change(ctx, c) }},
	{[]string{"chain"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.refreshChain(ctx) }},
	{[]string{"license"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.rec.lic.Refresh(ctx) }},
	{[]string{"policy"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.pol.refresh(ctx) }},
	{[]string{"webhook"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.hooks.refreshWebhooks(ctx) }},
	{[]string{"guardrail_plugin"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.hooks.refreshGuards(ctx) }},
	{[]string{"schema"}, func(g *gateway, ctx context.Context, _ *changes) error { return g.hooks.refreshSchemas(ctx) }},
}

// markTakersDue marks all takers as due. It is used when the version advances without them, because they would
// otherwise skip what changed while a runtime was built.
func markTakersDue() map[int]bool {
	owed := make(map[int]bool, len(takers))
	for i := range takers {
		owed[i] = true
	}
	return owed
}

// refresh applies records changed by this or another process, such as a key created by "headgate keys create".
func (g *gateway) refresh(ctx context.Context) error {
	v, err := g.rec.DB.Config().ReadVersion(ctx)
	if err != nil {
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	if v == g.version && len(g.owed) == 0 {
		return g.pol.retry(ctx)
	}
	c, err := readChanges(ctx, g.rec.DB, g.version)
	if err != nil {
		return err
	}
	keys, err := g.loadChangedKeys(ctx, c)
	if err != nil {
		return err
	}
	// Continue after an error: an unusable record must not keep a new key out.
	var errs []error
	for i, t := range takers {
		owed := g.owed[i]
		if !owed && !c.touches(t.kinds...) {
			continue
		}
		now := c
		if owed {
			now = &changes{version: c.version, all: true}
		}
		delete(g.owed, i)
		if err := t.take(g, ctx, now); err != nil {
			g.owed[i] = true
			errs = append(errs, fmt.Errorf("%v: %w", t.kinds, err))
		}
	}
	g.version, g.keys = c.version, keys
	g.snaps.Swap(snapshot.New(g.rt, keys, c.version))
	return errors.Join(errs...)
}

// loadChangedKeys returns the keys after the changes.
func (g *gateway) loadChangedKeys(ctx context.Context, c *changes) (*auth.Keys, error) {
	switch {
	case c.all:
		return loadKeys(ctx, g.rec.DB, g.cfg)
	case c.touches("tenant", "key"):
		return changeKeys(ctx, g.rec.DB, g.cfg, g.keys, c.ids["tenant"], c.ids["key"])
	}
	return g.keys, nil
}
