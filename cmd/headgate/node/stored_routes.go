package node

import (
	"context"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// refreshRoutes puts the routes of the database in force, beside those of the file. If two have the same pattern, the
// database's route applies. A route whose provider the file no longer has is omitted and reported. The caller holds
// g.mu.
func (g *gateway) refreshRoutes(ctx context.Context) error {
	if g.rt == nil {
		return nil
	}
	stored, err := g.rec.DB.Routes().List(ctx)
	if err != nil {
		return err
	}
	all := make([]route.Route, 0, len(stored)+len(g.cfg.Routes))
	for i := range stored {
		all = append(all, admin.ConvertRoute(&stored[i]))
	}
	g.badRoutes = ""
	if err := g.rt.Router.Replace(append(all, listRoutes(g.cfg)...)); err != nil {
		g.badRoutes = err.Error()
		g.tel.Log.Warn().Str("reason", g.badRoutes).Msg("a route is left out")
	}
	g.logUnreachable()
	return nil
}

// logUnreachable logs the providers that clients cannot reach, once for each change of the list. g.mu is held.
func (g *gateway) logUnreachable() {
	var names []string
	for _, name := range slices.Sorted(maps.Keys(g.cfg.Providers)) {
		if !g.rt.Router.Reaches(name) {
			names = append(names, name)
		}
	}
	if slices.Equal(names, g.unreachable) {
		return
	}
	if g.unreachable = names; len(names) > 0 {
		g.tel.Log.Info().Strs("providers", names).
			Msg("no route names these providers, so that clients cannot reach them; write a route, or `prefix: true` at the provider")
	}
}
