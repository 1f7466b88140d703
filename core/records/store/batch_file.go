package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"fmt"
	"time"
)

// BatchFile is a file of a tenant's at a provider: requests for a batch, or what came of them.
type BatchFile struct {
	ID, Tenant, KeyID    string
	Provider, ProviderID string
	Purpose              string
	CreatedAt            time.Time // zero means now
	BatchFileData
}

// BatchFileData is what no query asks for.
type BatchFileData struct {
	Name      string       `json:"name"`
	Bytes     int64        `json:"bytes"`
	Lines     int64        `json:"lines,omitempty"`
	Endpoint  string       `json:"endpoint,omitempty"`
	ExpiresAt int64        `json:"expires_at,omitempty"` // seconds since 1970
	Models    []BatchModel `json:"models,omitempty"`
}

// BatchModel is a model that a file names.
type BatchModel struct {
	Name   string `json:"name"`   // as the client spells it
	Target string `json:"target"` // as the provider is sent it
	Line   int    `json:"line"`   // the first line that names it
}

type batchFileRow struct {
	Seq        int64  `db:"seq"`
	ID         string `db:"id"`
	Tenant     string `db:"tenant_id"`
	KeyID      string `db:"key_id"`
	Provider   string `db:"provider"`
	ProviderID string `db:"provider_id"`
	Purpose    string `db:"purpose"`
	CreatedAt  int64  `db:"created_at"`
	Data       string `db:"data"`
}

// Insert adds a file.
func (fs BatchFiles) Insert(ctx context.Context, f *BatchFile) error {
	err := fs.db.transact(ctx, func(tx *Tx) error { return fs.insert(ctx, tx, f) })
	if err != nil {
		return fmt.Errorf("insert batch file: %w", err)
	}
	return nil
}

func (fs BatchFiles) insert(ctx context.Context, tx *Tx, f *BatchFile) error {
	if f.CreatedAt.IsZero() {
		f.CreatedAt = fs.db.now()
	}
	data, err := json.Marshal(f.BatchFileData)
	if err != nil {
		return err
	}
	_, err = tx.NamedExecContext(ctx, `
		INSERT INTO batch_file (id, tenant_id, key_id, provider, provider_id, purpose, created_at, data)
		VALUES (:id, :tenant_id, :key_id, :provider, :provider_id, :purpose, :created_at, :data)`, batchFileRow{
		ID: f.ID, Tenant: f.Tenant, KeyID: f.KeyID, Provider: f.Provider, ProviderID: f.ProviderID, Purpose: f.Purpose,
		CreatedAt: f.CreatedAt.UnixMicro(), Data: string(data),
	})
	return err
}

// Get is the tenant's file with that id, or ErrNotFound.
func (fs BatchFiles) Get(ctx context.Context, tenantID, id string) (*BatchFile, error) {
	var row batchFileRow
	if err := fs.db.read.GetContext(ctx, &row, "SELECT * FROM batch_file WHERE id = ? AND tenant_id = ?", id, tenantID); err != nil {
		return nil, fmt.Errorf("read batch file: %w", named(err))
	}
	return row.file()
}

// BatchPage chooses part of a tenant's files or batches.
type BatchPage struct {
	After   string // the id behind which the page begins; ErrNotFound when the tenant has none such
	Limit   int
	Oldest  bool   // oldest first; otherwise newest first
	Purpose string // of files; "" for all
}

// List are a page of the tenant's files.
func (fs BatchFiles) List(ctx context.Context, tenantID string, p BatchPage) ([]*BatchFile, error) {
	var rows []batchFileRow
	if err := fs.db.batchPage(ctx, &rows, "batch_file", tenantID, p); err != nil {
		return nil, fmt.Errorf("list batch files: %w", err)
	}
	list := make([]*BatchFile, len(rows))
	for i := range rows {
		f, err := rows[i].file()
		if err != nil {
			return nil, err
		}
		list[i] = f
	}
	return list, nil
}

// batchPage reads rows of a table of files or batches.
func (db *DB) batchPage(ctx context.Context, into any, table, tenantID string, p BatchPage) error {
	query, args := "SELECT * FROM "+table+" WHERE tenant_id = ?", []any{tenantID}
	compare, order := " AND seq < ?", " ORDER BY seq DESC LIMIT ?"
	if p.Oldest {
		compare, order = " AND seq > ?", " ORDER BY seq LIMIT ?"
	}
	if p.After != "" {
		var seq sql.NullInt64
		if err := db.read.GetContext(ctx, &seq, "SELECT seq FROM "+table+" WHERE id = ? AND tenant_id = ?", p.After, tenantID); err != nil {
			return named(err)
		}
		query, args = query+compare, append(args, seq.Int64)
	}
	if p.Purpose != "" {
		query, args = query+" AND purpose = ?", append(args, p.Purpose)
	}
	return db.read.SelectContext(ctx, into, query+order, append(args, p.Limit)...)
}

// Delete deletes the tenant's file; ErrNotFound when there is none with the id.
func (fs BatchFiles) Delete(ctx context.Context, tenantID, id string) error {
	return fs.db.deleteBatch(ctx, "batch_file", tenantID, id)
}

func (db *DB) deleteBatch(ctx context.Context, table, tenantID, id string) error {
	err := db.transact(ctx, func(tx *Tx) error {
		res, err := tx.ExecContext(ctx, "DELETE FROM "+table+" WHERE id = ? AND tenant_id = ?", id, tenantID)
		if err != nil {
			return err
		}
		if n, err := res.RowsAffected(); err != nil || n > 0 {
			return err
		}
		return ErrNotFound
	})
	if err != nil {
		return fmt.Errorf("delete from %s: %w", table, err)
	}
	return nil
}

func (r *batchFileRow) file() (*BatchFile, error) {
	f := &BatchFile{
		ID: r.ID, Tenant: r.Tenant, KeyID: r.KeyID, Provider: r.Provider, ProviderID: r.ProviderID, Purpose: r.Purpose,
		CreatedAt: time.UnixMicro(r.CreatedAt).UTC(),
	}
	if err := json.Unmarshal([]byte(r.Data), &f.BatchFileData); err != nil {
		return nil, fmt.Errorf("read batch file %q: %w", r.ID, err)
	}
	return f, nil
}
