package store

import (
	"context"
	"fmt"
	"time"
)

// Route is a route as stored.
type Route struct {
	ID                   string
	ModelPattern         string
	Strategy             string
	Targets              []RouteTarget
	Pinned               string // a model version
	LatencySLA           int64  // milliseconds; 0: off
	OtherRegions         bool
	Version              int64
	CreatedAt, UpdatedAt time.Time // set by the store
}

// RouteTarget is one provider of a route.
type RouteTarget struct {
	Provider      string `json:"provider"`
	Weight        int    `json:"weight,omitempty"`
	ModelOverride string `json:"model_override,omitempty"`
	Region        string `json:"region,omitempty"`
}

// VersionsKept is how many versions of a record are kept, including the current one. The specification requires ten.
const VersionsKept = 100

var routeTable = newTable(table[Route]{
	name: "route", noun: "route", kind: "route",
	head:  func(r *Route) head { return head{&r.ID, &r.Version, &r.CreatedAt, &r.UpdatedAt} },
	saved: saveRouteVersion,
	fields: func(r *Route) []field {
		return []field{
			newFixedField("id", &r.ID),
			{column: "model_pattern", at: &r.ModelPattern},
			{column: "strategy", at: &r.Strategy},
			{column: "providers", at: newJSONCodec(&r.Targets)},
			{column: "pinned", at: &r.Pinned},
			{column: "latency_sla_ms", at: &r.LatencySLA},
			{column: "other_regions", at: &r.OtherRegions},
			{column: "version", at: &r.Version},
			newFixedField("created_at", newInstantCodec(&r.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&r.UpdatedAt)},
		}
	},
})

// Routes reads and writes the routes. Every change creates a version.
type Routes struct{ Records[Route] }

// Routes returns the routes, with their versions.
func (db *DB) Routes() Routes { return Routes{Records[Route]{db, routeTable}} }

// saveRouteVersion stores the current version of a route and removes the oldest.
func saveRouteVersion(ctx context.Context, tx *Tx, _, r *Route) error {
	targets, err := newJSONCodec(&r.Targets).Value()
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, `INSERT INTO route_version
		(route_id, version, model_pattern, strategy, providers, pinned, latency_sla_ms, other_regions, created_at)
		VALUES (?, ?, ?, ?, ?, ?, ?, ?, ?)`,
		r.ID, r.Version, r.ModelPattern, r.Strategy, targets, r.Pinned, r.LatencySLA, r.OtherRegions, convertToMicros(r.UpdatedAt))
	if err != nil {
		return err
	}
	_, err = tx.ExecContext(ctx, "DELETE FROM route_version WHERE route_id = ? AND version <= ?", r.ID, r.Version-VersionsKept)
	return err
}

// readRouteVersions selects versions in the form of routes. Their creation time is that of the version.
const readRouteVersions = `SELECT route_id AS id, model_pattern, strategy, providers, pinned, latency_sla_ms, other_regions, version,
	created_at, created_at AS updated_at FROM route_version WHERE route_id = ?`

// ListVersions returns the stored versions of a route, newest first.
func (rs Routes) ListVersions(ctx context.Context, id string) ([]Route, error) {
	list, err := routeTable.read(ctx, rs.db.read.bound, readRouteVersions+" ORDER BY version DESC", id)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return nil, fmt.Errorf("list versions of a route: %w", err)
	}
	return list, nil
}

// GetVersion returns one version of a route.
func (rs Routes) GetVersion(ctx context.Context, id string, version int64) (Route, error) {
	list, err := routeTable.read(ctx, rs.db.read.bound, readRouteVersions+" AND version = ?", id, version)
	if err == nil && len(list) == 0 {
		err = ErrNotFound
	}
	if err != nil {
		return Route{}, fmt.Errorf("read version of a route: %w", err)
	}
	return list[0], nil
}
