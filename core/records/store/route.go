package store

import (
	"context"
	"database/sql"
	"encoding/json"
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

// VersionsKept is how many versions of a record are kept, its newest among them. The specification asks for ten.
const VersionsKept = 100

type routeRow struct {
	ID           string        `db:"id"`
	ModelPattern string        `db:"model_pattern"`
	Strategy     string        `db:"strategy"`
	Providers    string        `db:"providers"`
	Pinned       string        `db:"pinned"`
	LatencySLA   int64         `db:"latency_sla_ms"`
	OtherRegions int64         `db:"other_regions"`
	Version      int64         `db:"version"`
	CreatedAt    sql.NullInt64 `db:"created_at"`
	UpdatedAt    sql.NullInt64 `db:"updated_at"`
}

const routeColumns = "id, model_pattern, strategy, providers, pinned, latency_sla_ms, other_regions, version, created_at, updated_at"

// Insert adds a route as its version 1. An id that is there already is ErrExists.
func (rs Routes) Insert(ctx context.Context, r Route) (Route, error) {
	r.Version = 1
	r.CreatedAt = rs.db.now().UTC().Truncate(time.Microsecond)
	r.UpdatedAt = r.CreatedAt
	err := rs.db.mutate(ctx, func(tx *Tx) (bool, error) {
		row, err := r.row()
		if err != nil {
			return false, err
		}
		if _, err := tx.NamedExecContext(ctx, "INSERT INTO route ("+routeColumns+`)
			VALUES (:id, :model_pattern, :strategy, :providers, :pinned, :latency_sla_ms, :other_regions, :version, :created_at, :updated_at)`, row); err != nil {
			return false, err
		}
		tx.changed("route", r.ID)
		return true, keepRouteVersion(ctx, tx, row)
	})
	if err != nil {
		return Route{}, fmt.Errorf("insert route: %w", err)
	}
	return r, nil
}

// List are all routes, in the order of their making.
func (rs Routes) List(ctx context.Context) ([]Route, error) {
	var rows []routeRow
	if err := rs.db.read.SelectContext(ctx, &rows, "SELECT "+routeColumns+" FROM route ORDER BY created_at, id"); err != nil {
		return nil, fmt.Errorf("list routes: %w", err)
	}
	return routesOf(rows)
}

// Get is one route, or ErrNotFound.
func (rs Routes) Get(ctx context.Context, id string) (Route, error) {
	var row routeRow
	if err := rs.db.read.GetContext(ctx, &row, "SELECT "+routeColumns+" FROM route WHERE id = ?", id); err != nil {
		return Route{}, fmt.Errorf("read route: %w", named(err))
	}
	return row.route()
}

// Change changes a route in one transaction and makes a new version of it; ErrNotFound when there is none with the
// id. An error of change is answered as it is, and nothing is changed.
func (rs Routes) Change(ctx context.Context, id string, change func(*Route) error) (Route, error) {
	var r Route
	err := rs.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row routeRow
		err := tx.GetContext(ctx, &row, "SELECT "+routeColumns+" FROM route WHERE id = ?", id)
		if err != nil {
			return false, err
		}
		if r, err = row.route(); err != nil {
			return false, err
		}
		if err := change(&r); err != nil {
			return false, err
		}
		r.ID, r.Version, r.UpdatedAt = id, row.Version+1, rs.db.now().UTC().Truncate(time.Microsecond)
		if row, err = r.row(); err != nil {
			return false, err
		}
		if _, err := tx.NamedExecContext(ctx, `UPDATE route SET model_pattern = :model_pattern, strategy = :strategy, providers = :providers,
			pinned = :pinned, latency_sla_ms = :latency_sla_ms, other_regions = :other_regions, version = :version, updated_at = :updated_at
			WHERE id = :id`, row); err != nil {
			return false, err
		}
		tx.changed("route", id)
		return true, keepRouteVersion(ctx, tx, row)
	})
	if err != nil {
		return Route{}, fmt.Errorf("change route: %w", err)
	}
	return r, nil
}

// Delete removes a route and its versions. check is asked first, with the route as it is.
func (rs Routes) Delete(ctx context.Context, id string, check func(Route) error) error {
	err := rs.db.mutate(ctx, func(tx *Tx) (bool, error) {
		var row routeRow
		if err := tx.GetContext(ctx, &row, "SELECT "+routeColumns+" FROM route WHERE id = ?", id); err != nil {
			return false, err
		}
		r, err := row.route()
		if err != nil {
			return false, err
		}
		if err := check(r); err != nil {
			return false, err
		}
		tx.changed("route", id)
		_, err = tx.ExecContext(ctx, "DELETE FROM route WHERE id = ?", id)
		return true, err
	})
	if err != nil {
		return fmt.Errorf("delete route: %w", err)
	}
	return nil
}

func (r Route) row() (routeRow, error) {
	b, err := json.Marshal(r.Targets)
	if err != nil {
		return routeRow{}, fmt.Errorf("providers: %w", err)
	}
	row := routeRow{
		ID: r.ID, ModelPattern: r.ModelPattern, Strategy: r.Strategy, Providers: string(b), Pinned: r.Pinned,
		LatencySLA: r.LatencySLA, Version: r.Version, CreatedAt: micros(r.CreatedAt), UpdatedAt: micros(r.UpdatedAt),
	}
	if r.OtherRegions {
		row.OtherRegions = 1
	}
	return row, nil
}

func (r *routeRow) route() (Route, error) {
	out := Route{
		ID: r.ID, ModelPattern: r.ModelPattern, Strategy: r.Strategy, Pinned: r.Pinned, LatencySLA: r.LatencySLA,
		OtherRegions: r.OtherRegions != 0, Version: r.Version, CreatedAt: instant(r.CreatedAt), UpdatedAt: instant(r.UpdatedAt),
	}
	if err := json.Unmarshal([]byte(r.Providers), &out.Targets); err != nil {
		return Route{}, fmt.Errorf("providers of route %q: %w", r.ID, err)
	}
	return out, nil
}

func routesOf(rows []routeRow) ([]Route, error) {
	list := make([]Route, len(rows))
	for i := range rows {
		var err error
		if list[i], err = rows[i].route(); err != nil {
			return nil, err
		}
	}
	return list, nil
}
