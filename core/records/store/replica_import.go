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
)

// importer writes rows within a transaction.
type importer struct {
	tx     *Tx
	tables map[string]*importTable
	seen   map[string]bool // ids by kind, for a full import
}

// importTable describes how to store the rows of a table.
type importTable struct {
	columns []string
	bytes   []bool
	insert  string
	args    []any
	clear   string // deletes another row with the same unique values
	clears  []int  // positions of its arguments in args
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
		if err := in.importRow(ctx, &r, full); err != nil {
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

func (in *importer) importRow(ctx context.Context, r *Row, full bool) error {
	for _, v := range r.Versions {
		if _, err := in.tx.ExecContext(
			ctx,
			"INSERT INTO config_change (version, kind, record_id) VALUES (?, ?, ?) ON CONFLICT DO NOTHING",
			v,
			r.Kind,
			r.ID,
		); err != nil {
			return err
		}
	}
	at := rankKind(r.Kind)
	if at == len(copied) { // from a newer control plane, or not for nodes
		return nil
	}
	k := &copied[at]
	if r.Columns == nil && k.only != "" {
		_, err := in.tx.ExecContext(ctx, "DELETE FROM "+k.table)
		return err
	}
	if r.Columns == nil {
		return in.remove(ctx, at, r.ID)
	}
	if full {
		in.seen[r.Kind+" "+r.ID] = true
	}
	return in.put(ctx, at, r.Columns)
}

// put inserts or updates a row by its key. It deletes a conflicting row: the control plane has deleted it, or has
// renamed it and sends it later.
func (in *importer) put(ctx context.Context, at int, row map[string]any) error {
	t, err := in.selectColumns(ctx, at, row)
	if err != nil {
		return err
	}
	t.args = t.args[:0]
	for i, name := range t.columns {
		v, err := decodeColumn(row[name], t.bytes[i])
		if err != nil {
			return fmt.Errorf("column %s: %w", name, err)
		}
		t.args = append(t.args, v)
	}
	if t.clear != "" {
		args := make([]any, len(t.clears))
		for i, at := range t.clears {
			args[i] = t.args[at]
		}
		if _, err := in.tx.ExecContext(ctx, t.clear, args...); err != nil {
			return err
		}
	}
	_, err = in.tx.ExecContext(ctx, t.insert, t.args...)
	return err
}

// decodeColumn converts a value to its database form.
func decodeColumn(v any, bytes bool) (any, error) {
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
	return nil, fmt.Errorf("unsupported JSON value of type %T; want a string, an integer or null", v)
}

// selectColumns selects the columns of a row that this database has. It ignores those of a newer control plane; columns
// that an older one does not send keep their defaults. All rows of a table in one import have the same columns.
func (in *importer) selectColumns(ctx context.Context, at int, like map[string]any) (t *importTable, err error) {
	table, key := copied[at].table, copied[at].key
	if in.tables[table] != nil {
		return in.tables[table], nil
	}
	rows, err := in.tx.QueryxContext(ctx, "SELECT * FROM "+table+" LIMIT 0")
	if err != nil {
		return nil, err
	}
	types, err := rows.ColumnTypes()
	if err = errors.Join(err, rows.Close()); err != nil {
		return nil, err
	}
	t = new(importTable)
	var set []string
	for _, c := range types {
		if _, ok := like[c.Name()]; !ok {
			continue
		}
		t.columns = append(t.columns, c.Name())
		t.bytes = append(t.bytes, c.DatabaseTypeName() == "BLOB" || c.DatabaseTypeName() == "BYTEA")
		if c.Name() != key {
			set = append(set, c.Name()+" = excluded."+c.Name())
		}
	}
	if len(set) == 0 {
		return nil, errors.New("has no column that this database knows")
	}
	t.insert = "INSERT INTO " + table + " (" + strings.Join(t.columns, ", ") + ") VALUES (?" + strings.Repeat(", ?", len(t.columns)-1) +
		") ON CONFLICT (" + key + ") DO UPDATE SET " + strings.Join(set, ", ")
	if other := copied[at].other; other != "" {
		names := append(strings.Split(other, ","), key)
		for _, n := range names {
			t.clears = append(t.clears, slices.Index(t.columns, n))
		}
		if slices.Contains(t.clears, -1) {
			return nil, errors.New("lacks a column that is unique")
		}
		t.clear = "DELETE FROM " + table + " WHERE " + strings.ReplaceAll(other, ",", " = ? AND ") + " = ? AND " + key + " <> ?"
	}
	in.tables[table] = t
	return t, nil
}

// sweep deletes what a full import did not contain.
func (in *importer) sweep(ctx context.Context, at int) error {
	k := &copied[at]
	where := ""
	if k.where != "" {
		where = " WHERE " + k.where
	}
	var ids []string
	if err := in.tx.SelectContext(ctx, &ids, "SELECT CAST("+k.key+" AS TEXT) FROM "+k.table+where); err != nil {
		return err
	}
	for _, id := range ids {
		if in.seen[k.kind+" "+id] {
			continue
		}
		if err := in.remove(ctx, at, id); err != nil {
			return err
		}
	}
	return nil
}

// remove deletes a record. Deleting a tenant or its vault key also deletes the values that this node sealed.
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
