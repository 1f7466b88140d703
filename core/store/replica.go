package store

import (
	"context"
	"encoding/base64"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"slices"
	"strings"

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
}{
	{kind: "tenant", table: "tenant", key: "id"},
	{kind: "vault_key", table: "vault_key", key: "tenant_id"},
	{kind: "key", table: "api_key", key: "id"},
	{kind: "route", table: "route", key: "id"},
	{kind: "policy", table: "policy", key: "id"},
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

// ErrOlder means that a configuration is older than the one that is there.
var ErrOlder = errors.New("the configuration is older than the one in force")

// Export hands over what changed after the configuration version since, or the whole configuration when the log of
// changes does not reach so far; begin is told first which. It answers the version that the database stood at, all at
// one moment.
func (db *DB) Export(ctx context.Context, since int64, begin func(full bool) error, each func(*Row) error) (version int64, err error) {
	err = db.read.snapshot(ctx, func(tx *Tx) error {
		if err := tx.GetContext(ctx, &version, "SELECT version FROM config_version"); err != nil {
			return err
		}
		changes, complete, err := changesSince(ctx, tx.bound, since)
		if err != nil {
			return err
		}
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
	if k.only != "" {
		where = " WHERE " + k.only
	}
	rows, err := tx.QueryxContext(ctx, "SELECT * FROM "+k.table+where+" ORDER BY "+k.key)
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, rows.Close()) }()
	for rows.Next() {
		r := Row{Kind: k.kind}
		if err := r.scan(rows, k.key); err != nil {
			return err
		}
		if err := each(&r); err != nil {
			return err
		}
	}
	return rows.Err()
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
	slices.SortStableFunc(refs, func(a, b ref) int { return place(a.kind) - place(b.kind) })
	var gone []*Row
	for _, r := range refs {
		row := &Row{Kind: r.kind, ID: r.id, Versions: versions[r]}
		if at := place(r.kind); at < len(copied) {
			k := &copied[at]
			where, args := k.key+" = ?", []any{r.id}
			if k.only != "" {
				where, args = k.only, nil
			}
			rows, err := tx.QueryxContext(ctx, "SELECT * FROM "+k.table+" WHERE "+where, args...)
			if err != nil {
				return err
			}
			if rows.Next() {
				err = row.scan(rows, k.key)
			}
			if err = errors.Join(err, rows.Err(), rows.Close()); err != nil {
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

// place is where a kind stands among those that are copied; their number when it does not.
func place(kind string) int {
	for i := range copied {
		if copied[i].kind == kind {
			return i
		}
	}
	return len(copied)
}

func (r *Row) scan(rows *sqlx.Rows, key string) error {
	r.Columns = map[string]any{}
	if err := rows.MapScan(r.Columns); err != nil {
		return err
	}
	r.ID = fmt.Sprint(r.Columns[key])
	for name, v := range r.Columns {
		if b, ok := v.([]byte); ok {
			r.Columns[name] = base64.StdEncoding.EncodeToString(b)
		}
	}
	return nil
}

// Import takes a configuration over as a control plane has exported it, at its version, with settings of this database
// that belong to it, in one transaction. With full, records that next does not give are removed. next answers io.EOF
// at the end. A version that is older than this database's is ErrOlder.
//
// What changed is noted under the versions in which the control plane has changed it, so that Changes tells it here too.
func (db *DB) Import(ctx context.Context, version int64, full bool, settings map[string][]byte, next func() (Row, error)) error {
	err := db.transact(ctx, func(tx *Tx) error {
		var now int64
		if err := tx.GetContext(ctx, &now, "SELECT version FROM config_version"); err != nil {
			return err
		}
		if version < now {
			return fmt.Errorf("%w: version %d after %d", ErrOlder, version, now)
		}
		in := importer{tx: tx, tables: make([]*importTable, len(copied))}
		if err := in.run(ctx, full, next); err != nil {
			return err
		}
		for name, value := range settings {
			if _, err := tx.ExecContext(ctx, "INSERT INTO setting (name, value) VALUES (?, ?) ON CONFLICT (name) DO UPDATE SET value = excluded.value", name, value); err != nil {
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

// importer writes rows into the tables of a transaction.
type importer struct {
	tx     *Tx
	tables []*importTable // by place; nil until there is a row
}

type importTable struct {
	columns []string
	bytes   []bool
	insert  string
	seen    map[string]bool // ids of a full import
	args    []any
}

func (in *importer) run(ctx context.Context, full bool, next func() (Row, error)) error {
	for {
		r, err := next()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return err
		}
		if err := in.row(ctx, &r, full); err != nil {
			return fmt.Errorf("%s %q: %w", r.Kind, r.ID, err)
		}
	}
	if !full {
		return nil
	}
	for at := len(copied) - 1; at >= 0; at-- {
		if err := in.sweep(ctx, at); err != nil {
			return err
		}
	}
	return nil
}

func (in *importer) row(ctx context.Context, r *Row, full bool) error {
	for _, v := range r.Versions {
		if _, err := in.tx.ExecContext(ctx, "INSERT INTO config_change (version, kind, record_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING", v, r.Kind, r.ID); err != nil {
			return err
		}
	}
	at := place(r.Kind)
	if at == len(copied) { // of a newer control plane, or not for nodes
		return nil
	}
	if r.Columns == nil {
		return in.remove(ctx, at, r.ID)
	}
	t, err := in.table(ctx, at, r)
	if err != nil {
		return err
	}
	if full {
		t.seen[r.ID] = true
	}
	t.args = t.args[:0]
	for i, name := range t.columns {
		v, err := imported(r.Columns[name], t.bytes[i])
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		t.args = append(t.args, v)
	}
	_, err = in.tx.ExecContext(ctx, t.insert, t.args...)
	return err
}

// imported is a value as the database takes it.
func imported(v any, bytes bool) (any, error) {
	switch v := v.(type) {
	case json.Number:
		return v.Int64()
	case string:
		if bytes {
			return base64.StdEncoding.DecodeString(v)
		}
		return v, nil
	case nil, int64:
		return v, nil
	}
	return nil, errors.New("is of a kind that is not known")
}

// table learns which columns of a row this database has: those of a newer control plane are left out, and those that an
// older one does not know keep their defaults. Rows of one kind in one import are alike.
func (in *importer) table(ctx context.Context, at int, like *Row) (t *importTable, err error) {
	if in.tables[at] != nil {
		return in.tables[at], nil
	}
	k := &copied[at]
	rows, err := in.tx.QueryxContext(ctx, "SELECT * FROM "+k.table+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	types, err := rows.ColumnTypes()
	if err = errors.Join(err, rows.Close()); err != nil {
		return nil, err
	}
	t = &importTable{seen: map[string]bool{}}
	var set []string
	for _, c := range types {
		if _, ok := like.Columns[c.Name()]; !ok {
			continue
		}
		t.columns = append(t.columns, c.Name())
		t.bytes = append(t.bytes, c.DatabaseTypeName() == "BLOB" || c.DatabaseTypeName() == "BYTEA")
		if c.Name() != k.key {
			set = append(set, c.Name()+" = excluded."+c.Name())
		}
	}
	t.insert = "INSERT INTO " + k.table + " (" + strings.Join(t.columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(t.columns)-1) +
		") ON CONFLICT (" + k.key + ") DO UPDATE SET " + strings.Join(set, ", ")
	in.tables[at] = t
	return t, nil
}

// sweep removes what a full import did not give.
func (in *importer) sweep(ctx context.Context, at int) error {
	k := &copied[at]
	var ids []string
	if err := in.tx.SelectContext(ctx, &ids, "SELECT CAST("+k.key+" AS TEXT) FROM "+k.table); err != nil {
		return err
	}
	for _, id := range ids {
		if t := in.tables[at]; t != nil && t.seen[id] {
			continue
		}
		if err := in.remove(ctx, at, id); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a record. With a tenant, and with the key of its vault, go the values that were sealed here.
func (in *importer) remove(ctx context.Context, at int, id string) error {
	k := &copied[at]
	if _, err := in.tx.ExecContext(ctx, "DELETE FROM "+k.table+" WHERE "+k.key+" = ?", id); err != nil {
		return err
	}
	if k.kind != "tenant" && k.kind != "vault_key" {
		return nil
	}
	for _, table := range []string{"vault_token", "vault_key"} {
		if _, err := in.tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE tenant_id = ?", id); err != nil {
			return err
		}
	}
	return nil
}
