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

// A replica is the database of a node: its records of some kinds are copies of those of a control plane.

// copied are the kinds of records that nodes have, in an order in which a record comes after those that it refers to.
// A row travels as its columns, whatever they are: a table of one key needs no more than its line here.
var copied = []struct {
	kind  string // as tx.changed notes it
	table string
	key   string // the column of the id
	only  string // which rows a change of the kind hands over, where it is not the one with its id
	where string // which rows are handed over at all
	other string // columns, with commas, that are unique together beside the key
}{
	{kind: "tenant", table: "tenant", key: "id"},
	{kind: "vault_key", table: "vault_key", key: "tenant_id"},
	{kind: "key", table: "api_key", key: "id", other: "hash"},
	{kind: "route", table: "route", key: "id"},
	{kind: "policy", table: "policy", key: "id"},
	{kind: "price", table: "price", key: "id"},
	{kind: "budget", table: "budget", key: "id"},
	{kind: "schema", table: "output_schema", key: "id"},
	{kind: "guardrail_plugin", table: "guardrail_plugin", key: "id", other: "name"},
	// A node delivers what it tells of itself.
	{kind: "webhook", table: "webhook", key: "id", other: "tenant_id,name"},
	// What is not decided yet is of the node that asks for it.
	{kind: "approval", table: "approval", key: "id", where: "status <> 'PENDING'"},
	{kind: "license", table: "license", key: "one", only: "one = 1"},
	{kind: "chain", table: "chain_layout", key: "version", only: "version = (SELECT max(version) FROM chain_layout)"},
}

// Row is a record of a kind as a control plane hands it to its nodes.
type Row struct {
	Kind string `json:"kind"`
	ID   string `json:"id"`
	// Versions are those of the configuration that it changed in; none when the whole configuration is handed over.
	Versions []int64 `json:"versions,omitempty"`
	// Columns are the values by name: whole numbers, texts, base64 of bytes, null. nil: the record is gone, or is of a
	// kind that nodes do not have.
	Columns map[string]any `json:"columns,omitempty"`
}

// ErrOlder means that a configuration is older than the current one.
var ErrOlder = errors.New("the configuration is older than the one in force")

// Export hands over what changed after the configuration version since, or the whole configuration when the log of
// changes does not reach so far; begin is told first which. It answers the version that the database stood at, all at
// one moment.
func (f Fleet) Export(ctx context.Context, since int64, begin func(full bool) error, each func(*Row) error) (version int64, err error) {
	err = f.db.read.snapshot(ctx, func(tx *Tx) error {
		if err := tx.GetContext(ctx, &version, "SELECT version FROM config_version"); err != nil {
			return err
		}
		changes, complete, err := changesSince(ctx, tx.bound, since)
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
			if err := tx.exportAll(ctx, i, each); err != nil {
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

func (tx *Tx) exportAll(ctx context.Context, kind int, each func(*Row) error) (err error) {
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
		if r.Columns, err = columns(rows); err != nil {
			return err
		}
		r.ID = fmt.Sprint(r.Columns[k.key])
		if err := each(&r); err != nil {
			return err
		}
	}
	return rows.Err()
}

// exportOne reads the record as it is now, if it is there.
func (tx *Tx) exportOne(ctx context.Context, at int, r *Row) error {
	k := &copied[at]
	where, args := k.key+" = ?", []any{r.ID}
	if k.only != "" {
		where, args = k.only, nil
	}
	if k.where != "" {
		where += " AND " + k.where
	}
	list, err := tx.rows(ctx, "SELECT * FROM "+k.table+" WHERE "+where, args...)
	if err != nil || len(list) == 0 {
		return err
	}
	r.Columns = list[0]
	r.ID = fmt.Sprint(r.Columns[k.key])
	return nil
}

// rows are the rows of a query, as they travel.
func (tx *Tx) rows(ctx context.Context, query string, args ...any) (list []map[string]any, err error) {
	rows, err := tx.QueryxContext(ctx, query, args...)
	if err != nil {
		return nil, err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		c, err := columns(rows)
		if err != nil {
			return nil, err
		}
		list = append(list, c)
	}
	return list, rows.Err()
}

// exportChanged hands over the changed records as they are now, each once: those that are there in the order of
// copied, and then those that are gone.
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
	slices.SortStableFunc(refs, func(a, b ref) int { return kindOrder(a.kind) - kindOrder(b.kind) })
	var gone []*Row
	for _, r := range refs {
		row := &Row{Kind: r.kind, ID: r.id, Versions: versions[r]}
		if at := kindOrder(r.kind); at < len(copied) {
			if err := tx.exportOne(ctx, at, row); err != nil {
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

// kindOrder is where a kind stands among those that are copied; their number when it does not.
func kindOrder(kind string) int {
	for i := range copied {
		if copied[i].kind == kind {
			return i
		}
	}
	return len(copied)
}

// columns are the values of a row by name, as they travel.
func columns(rows *sqlx.Rows) (map[string]any, error) {
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

// Import takes a configuration over as a control plane has exported it, at its version, with settings of this database
// that belong to it, in one transaction. With full, records that next does not give are removed. next answers io.EOF
// at the end. A version that is older than this database's is ErrOlder.
//
// What changed is noted under the versions in which the control plane has changed it, so that Changes tells it here too.
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
		if full { // what led here is not known
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
