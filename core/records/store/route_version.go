package store

import (
	"context"
	"fmt"
)

// keepRouteVersion notes what a route is now, and forgets versions of long ago.
func keepRouteVersion(ctx context.Context, tx *Tx, row routeRow) error {
	if _, err := tx.NamedExecContext(ctx, `INSERT INTO route_version
		(route_id, version, model_pattern, strategy, providers, pinned, latency_sla_ms, other_regions, created_at)
		VALUES (:id, :version, :model_pattern, :strategy, :providers, :pinned, :latency_sla_ms, :other_regions, :updated_at)`, row); err != nil {
		return err
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM route_version WHERE route_id = ? AND version <= ?", row.ID, row.Version-VersionsKept)
	return err
}

// versionColumns read a version as the route that it was: its creation is that of the version.
const versionColumns = "route_id AS id, model_pattern, strategy, providers, pinned, latency_sla_ms, other_regions, version, created_at, created_at AS updated_at"

// ListVersions are the versions of a route, the newest first; ErrNotFound when there is no such route.
func (rs Routes) ListVersions(ctx context.Context, id string) ([]Route, error) {
	var rows []routeRow
	if err := rs.db.read.SelectContext(ctx, &rows, "SELECT "+versionColumns+" FROM route_version WHERE route_id = ? ORDER BY version DESC", id); err != nil {
		return nil, fmt.Errorf("list versions of a route: %w", err)
	}
	if len(rows) == 0 {
		return nil, fmt.Errorf("list versions of a route: %w", ErrNotFound)
	}
	return routesOf(rows)
}

// GetVersion is one version of a route, or ErrNotFound.
func (rs Routes) GetVersion(ctx context.Context, id string, version int64) (Route, error) {
	var row routeRow
	if err := rs.db.read.GetContext(ctx, &row, "SELECT "+versionColumns+" FROM route_version WHERE route_id = ? AND version = ?", id, version); err != nil {
		return Route{}, fmt.Errorf("read version of a route: %w", named(err))
	}
	return row.route()
}
