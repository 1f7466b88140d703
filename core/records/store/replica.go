package store

import (
	"cmp"
	"context"
	"encoding/base64"
	"errors"
	"fmt"
	"slices"

	"github.com/jmoiron/sqlx"
)

// A replica is the database of a node. Its records of some kinds are copies of the control plane's.

// copied are the kinds of records that nodes have, ordered so that a record follows those that it refers to. Rows are
// transferred generically, column by column: another table with a single key needs only a line here.
var copied = []struct {
	kind  string // as passed to noteChange
	table string
	key   string // id column
	only  string // rows that a change of the kind exports, unless it is the row with its id
	where string // rows that are exported at all
	other string // columns, separated by commas, with a second unique constraint
}{
	{kind: "tenant", table: "tenant", key: "id"},
	{kind: "vault_key", table: "vault_key", key: "tenant_id"},
	{kind: "key", table: "api_key", key: "id", other: "hash"},
	{kind: "provider", table: "provider", key: "id"},
	{kind: "route", table: "route", key: "id"},
	{kind: "agent", table: "agent", key: "id"},
	{kind: "mcp_server", table: "mcp_server", key: "id"},
	{kind: "virtual_server", table: "virtual_server", key: "id"},
	{kind: "policy", table: "policy", key: "id"},
	{kind: "price", table: "price", key: "id"},
	{kind: "budget", table: "budget", key: "id"},
	{kind: "schema", table: "output_schema", key: "id"},
	{kind: "guardrail_plugin", table: "guardrail_plugin", key: "id", other: "name"},
	// Nodes deliver their own events, so they need the webhooks.
	{kind: "webhook", table: "webhook", key: "id", other: "tenant_id,name"},
	// Pending approvals belong to the node that requests them.
	{kind: "approval", table: "approval", key: "id", where: "status <> 'PENDING'"},
	{kind: "license", table: "license", key: "one", only: "one = 1"},
	{kind: "chain", table: "chain_layout", key: "version", only: "version = (SELECT max(version) FROM chain_layout)"},
}

// Row is a record that a control plane exports to its nodes.
type Row struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	// Versions are the configuration versions that changed it; empty in an export of the whole configuration.
	Versions []int64 `json:"versions,omitempty"`
	// Columns are the values by name: integers, strings, Base64 of bytes, null. It is nil if the record was deleted or
	// nodes do not have its kind.
	Columns map[string]any `json:"columns,omitempty"`
}

// ErrOlder means that a configuration is older than the current one.
var ErrOlder = errors.New("the configuration is older than the one in force")

// Export calls begin and then hands over what changed after the configuration version since, or the whole configuration
// if the log does not reach back that far; begin gets which. It reads one snapshot and returns its version.
func (f Fleet) Export(ctx context.Context, since int64, begin func(full bool) error, each func(*Row) error) (version int64, err error) {
	err = f.db.read.readSnapshot(ctx, func(tx *Tx) error {
		if err := tx.GetContext(ctx, &version, "SELECT version FROM config_version"); err != nil {
			return err
		}
		changes, complete, err := listChangesSince(ctx, tx.bound, since)
		if err != nil {
			return err
		}
		complete = complete && since > 0
		if err := begin(!complete); err != nil {
			return err
		}
		if complete {
			return tx.exportChanged(ctx, changes, each)
		}
		for i := range copied {
			if err := tx.exportTable(ctx, i, each); err != nil {
				return err
			}
		}
		return nil
	})
	if err != nil {
		return 0, fmt.Errorf("export configuration: %w", err)
	}
	return version, nil
}

func (tx *Tx) exportTable(ctx context.Context, kind int, each func(*Row) error) (err error) {
	k := &copied[kind]
	where := ""
	if w := cmp.Or(k.only, k.where); w != "" {
		where = " WHERE " + w
	}
	rows, err := tx.QueryxContext(ctx, "SELECT * FROM "+k.table+where+" ORDER BY "+k.key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r := Row{Kind: k.kind}
		if r.Columns, err = scanColumns(rows); err != nil {
			return err
		}
		r.ID = fmt.Sprint(r.Columns[k.key])
		if err := each(&r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// exportRecord exports the current record, if it exists.
func (tx *Tx) exportRecord(ctx context.Context, at int, r *Row) error {
	k := &copied[at]
	where, args := k.key+" = ?", []any{r.ID}
	if k.only != "" {
		where, args = k.only, nil
	}
	if k.where != "" {
		where += " AND " + k.where
	}
	list, err := tx.queryRows(ctx, "SELECT * FROM "+k.table+" WHERE "+where, args...)
	if err != nil || len(list) == 0 {
		return err
	}
	r.Columns = list[0]
	r.ID = fmt.Sprint(r.Columns[k.key])
	return nil
}

// queryRows returns the rows of a query in transfer form.
func (tx *Tx) queryRows(ctx context.Context, query string, args ...any) (list []map[string]any, err error) {
	rows, err := tx.QueryxContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		c, err := scanColumns(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// exportChanged exports the current state of the changed records, each once: existing ones in the order of copied, then
// deleted ones.
func (tx *Tx) exportChanged(ctx context.Context, changes []Change, each func(*Row) error) error {
	type ref struct{ kind, id string }
	versions := map[ref][]int64{}
	var refs []ref
	for _, c := range changes {
		r := ref{c.Kind, c.ID}
		if versions[r] == nil {
			refs = append(refs, r)
		}
		versions[r] = append(versions[r], c.Version)
	}
	slices.SortStableFunc(refs, func(a, b ref) int { return rankKind(a.kind) - rankKind(b.kind) })
	var gone []*Row
	for _, r := range refs {
		row := &Row{Kind: r.kind, ID: r.id, Versions: versions[r]}
		if at := rankKind(r.kind); at < len(copied) {
			if err := tx.exportRecord(ctx, at, row); err != nil {
				return err
			}
		}
		if row.Columns == nil {
			gone = append(gone, row)
			continue
		}
		if err := each(row); err != nil {
			return err
		}
	}
	for _, row := range gone {
		if err := each(row); err != nil {
			return err
		}
	}
	return nil
}

// rankKind returns the index of a kind in copied, or len(copied).
func rankKind(kind string) int {
	for i := range copied {
		if copied[i].kind == kind {
			return i
		}
	}
	return len(copied)
}

// scanColumns returns the values of a row by name in transfer form.
func scanColumns(rows *sqlx.Rows) (map[string]any, error) {
	c := map[string]any{}
	if err := rows.MapScan(c); err != nil {
		return nil, err
	}
	for name, v := range c {
		if b, ok := v.([]byte); ok {
			c[name] = base64.StdEncoding.EncodeToString(b)
		}
	}
	return c, nil
}

// Import stores a configuration that a control plane exported, at its version and with the settings that belong to it,
// in one transaction. With full it removes the records that next does not return. next returns io.EOF at the end. It
// returns ErrOlder if the version is older than this database's.
//
// It logs changes under the control plane's versions, so that ListChanges works here too.
func (f Fleet) Import(ctx context.Context, version int64, full bool, settings map[string][]byte, next func() (Row, error)) error {
	err := f.db.transact(ctx, func(tx *Tx) error {
		var now int64
		if err := tx.GetContext(ctx, &now, "SELECT version FROM config_version"); err != nil {
			return err
		}
		if version < now {
			return fmt.Errorf("%w: version %d after %d", ErrOlder, version, now)
		}
		in := importer{tx: tx, tables: map[string]*importTable{}, seen: map[string]bool{}}
		if err := in.run(ctx, full, next); err != nil {
			return err
		}
		for name, value := range settings {
			if _, err := tx.ExecContext(
				ctx,
				"INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value",
				name,
				value,
			); err != nil {
				return err
			}
		}
		if full { // the intermediate changes are unknown
			if _, err := tx.ExecContext(ctx, "DELETE FROM config_change"); err != nil {
				return err
			}
		}
		if _, err := tx.ExecContext(ctx, "DELETE FROM config_change WHERE version <= ?", version-changesKept); err != nil {
			return err
		}
		_, err := tx.ExecContext(ctx, "UPDATE config_version SET version = ?", version)
		return err
	})
	if err != nil {
		return fmt.Errorf("import configuration: %w", err)
	}
	return nil
}
