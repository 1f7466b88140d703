package store

import (
	"context"
	"fmt"
)

// changesKept is how many versions the log of changes covers, and the maximum number of changes per version.
const changesKept = 10_000

// Change says that a record was created, changed or deleted in the step to a configuration version.
type Change struct {
	Version int64 `db:"version"`
	// Kind is tenant, key, provider, route, policy, price, budget, schema, guardrail_plugin, webhook, agent, mcp_server,
	// virtual_server, tool_pin or plugin.
	Kind string `db:"kind"`
	ID   string `db:"record_id"`
}

// noteChange records the subject of an administrative change; see mutate.
func (tx *Tx) noteChange(kind, id string) {
	if len(tx.changes) <= changesKept { // one more than the maximum marks an overflow
		tx.changes = append(tx.changes, Change{Kind: kind, ID: id})
	}
}

// storeChanges writes the changes of the step to version v to the log. If there are too many, it writes none: readers
// then reload the whole configuration, which costs them less.
func (tx *Tx) storeChanges(ctx context.Context, v int64) error {
	if len(tx.changes) > changesKept {
		return nil
	}
	for _, c := range tx.changes {
		_, err := tx.ExecContext(
			ctx,
			"INSERT INTO config_change (version, kind, record_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			v,
			c.Kind,
			c.ID,
		)
		if err != nil {
			return err
		}
	}
	_, err := tx.ExecContext(ctx, "DELETE FROM config_change WHERE version <= ?", v-changesKept)
	return err
}

// ListChanges returns what changed after the configuration version since, ordered by version; the last one's version is
// current. complete is false if the log has gaps: it does not reach back far enough, a change had no recorded subject,
// or since belongs to another database. The caller must then reload the whole configuration.
func (c Config) ListChanges(ctx context.Context, since int64) (list []Change, complete bool, err error) {
	return listChangesSince(ctx, c.db.read.bound, since)
}

func listChangesSince(ctx context.Context, in bound, since int64) (list []Change, complete bool, err error) {
	var rows []struct {
		Change
		Now int64 `db:"now"`
	}
	err = in.SelectContext(ctx, &rows, `
		SELECT v.version AS now, coalesce(c.version, 0) AS version, coalesce(c.kind, '') AS kind, coalesce(c.record_id, '') AS record_id
		FROM config_version AS v LEFT JOIN config_change AS c ON c.version > ?
		ORDER BY c.version, c.kind, c.record_id`, since)
	if err != nil {
		return nil, false, fmt.Errorf("read changes: %w", err)
	}
	last := since
	complete = true
	for i := range rows {
		if rows[i].Version == 0 { // the join found none
			break
		}
		complete = complete && rows[i].Version <= last+1
		last = rows[i].Version
		list = append(list, rows[i].Change)
	}
	return list, complete && len(rows) > 0 && last == rows[0].Now, nil
}
