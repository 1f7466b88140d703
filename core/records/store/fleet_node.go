package store

import (
	"context"
	"database/sql"
	"fmt"
	"time"
)

// FleetNode is a node as its control plane knows it.
type FleetNode struct {
	Name    string
	Version int64 // configuration version at its last request
	SeenAt  time.Time
}

// SaveNode records that a node requested its configuration. It does not advance the configuration version.
func (f Fleet) SaveNode(ctx context.Context, name string, version int64) error {
	return f.db.exec(ctx, fmt.Sprintf("record node %q", name), `INSERT INTO fleet_node (name, version, seen_at) VALUES (?, ?, ?)
			ON CONFLICT (name) DO UPDATE SET version = excluded.version, seen_at = excluded.seen_at`, name, version, convertToMicros(f.db.now()))
}

// ListNodes returns the nodes sorted by name.
func (f Fleet) ListNodes(ctx context.Context) ([]FleetNode, error) {
	var rows []struct {
		Name    string        `db:"name"`
		Version int64         `db:"version"`
		SeenAt  sql.NullInt64 `db:"seen_at"`
	}
	if err := f.db.read.SelectContext(ctx, &rows, "SELECT name, version, seen_at FROM fleet_node ORDER BY name"); err != nil {
		return nil, fmt.Errorf("list nodes: %w", err)
	}
	list := make([]FleetNode, len(rows))
	for i, r := range rows {
		list[i] = FleetNode{r.Name, r.Version, convertToInstant(r.SeenAt)}
	}
	return list, nil
}
