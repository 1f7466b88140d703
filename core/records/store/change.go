package store

import (
	"context"
	"fmt"
)

// changesKept is how many versions back the log of changes reaches, and how many changes of one version it takes.
const changesKept = 10_000

// Change says that the record of a kind has changed, come or gone, in the step to a configuration version.
type Change struct {
	Version int64  `db:"version"`
	Kind    string `db:"kind"` // tenant, key, route, policy, price, budget, schema, guardrail_plugin, webhook or plugin
	ID      string `db:"record_id"`
}

// noteChange notes what an administrative change is about; see mutate.
func (tx *Tx) noteChange(kind, id string) {
	if len(tx.changes) <= changesKept { // one more than are kept says that they are too many
		tx.changes = append(tx.changes, Change{Kind: kind, ID: id})
	}
}

// storeChanges writes down what changed in the step to version v. Too many changes are not written: readers then take
// the whole configuration, which is less work for them.
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

// ListChanges are what changed after the configuration version since, in the order of versions; the version of the last one
// is the present one. complete is false when the log does not tell everything: it reaches back less far, a change was
// made of which it was not told what it is about, or since is of another database. Then the whole configuration is to be
// read again.
func (c Config) ListChanges(ctx context.Context, since int64) (list []Change, complete bool, err error) {
	return changesSince(ctx, c.db.read.bound, since)
}

func changesSince(ctx context.Context, in bound, since int64) (list []Change, complete bool, err error) {
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
