package admin

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// RouteVersion is an earlier version of a route.
// Its own type: a version has the id of its route, and neither source nor time of a change.
type RouteVersion struct {
	RouteID      string        `json:"route_id"`
	Version      int64         `json:"version"`
	ModelPattern string        `json:"model_pattern"`
	Strategy     string        `json:"strategy"`
	Providers    []RouteTarget `json:"providers" nullable:"false"`
	Pinned       string        `json:"pinned_model_version,omitempty"`
	LatencySLA   int64         `json:"latency_sla_ms"`
	OtherRegions bool          `json:"other_regions,omitempty"`
	CreatedAt    time.Time     `json:"created_at"`
}

func formatVersionID(v RouteVersion) string { return formatInt(v.Version) }

// ListVersions lists the versions of a route, newest first.
func (s Routes) ListVersions(ctx context.Context, who *auth.Actor, id string, page Page) (List[RouteVersion], error) {
	if _, err := s.svc.authorize(ctx, who, auth.RoutesRead, ""); err != nil {
		return List[RouteVersion]{}, err
	}
	if r, ok := s.findInFile(id); ok {
		return newList([]RouteVersion{{
			RouteID: id, Version: r.Version, ModelPattern: r.ModelPattern, Strategy: r.Strategy, Providers: r.Providers,
			Pinned: r.Pinned, LatencySLA: r.LatencySLA, OtherRegions: r.OtherRegions,
		}}, page, formatVersionID)
	}
	list, err := s.svc.Store.Routes().ListVersions(ctx, id)
	if err != nil {
		return List[RouteVersion]{}, mapNotFound(err, "route")
	}
	out := make([]RouteVersion, len(list))
	for i := range list {
		v := viewRoute(&list[i])
		out[i] = RouteVersion{
			RouteID: id, Version: v.Version, ModelPattern: v.ModelPattern, Strategy: v.Strategy, Providers: v.Providers,
			Pinned: v.Pinned, LatencySLA: v.LatencySLA, OtherRegions: v.OtherRegions, CreatedAt: list[i].CreatedAt,
		}
	}
	return newList(out, page, formatVersionID)
}

// Rollback restores an earlier version as a new version.
func (s Routes) Rollback(ctx context.Context, who *auth.Actor, id string, version int64, m Match) (Route, error) {
	old, err := s.svc.Store.Routes().GetVersion(ctx, id, version)
	if err != nil { // reported once the permission is checked
		old.Version = 0
	}
	return s.change(ctx, who, id, "rollback", m, func(r *store.Route) error {
		if old.Version == 0 {
			return mapNotFound(err, "version")
		}
		r.ModelPattern, r.Strategy, r.Targets, r.Pinned = old.ModelPattern, old.Strategy, old.Targets, old.Pinned
		r.LatencySLA, r.OtherRegions = old.LatencySLA, old.OtherRegions
		return s.check(r)
	})
}
