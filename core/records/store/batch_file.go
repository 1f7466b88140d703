package store

import (
	"context"
	"errors"
	"fmt"
	"time"
)

// BatchFile is a tenant's file at a provider: the requests of a batch, or its results.
type BatchFile struct {
	ID, Tenant, KeyID    string
	Provider, ProviderID string
	Purpose              string
	CreatedAt            time.Time // zero means now
	BatchFileData
}

// BatchFileData holds the fields that no query filters by.
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
	Name   string `json:"name"`   // as the client names it
	Target string `json:"target"` // as sent to the provider
	Line   int    `json:"line"`   // first line that names it
}

var batchFileTable = newTable(table[BatchFile]{
	name: "batch_file", noun: "batch file",
	head: func(f *BatchFile) head { return head{id: &f.ID, created: &f.CreatedAt} },
	fields: func(f *BatchFile) []field {
		return []field{
			newFixedField("id", &f.ID),
			newFixedField("tenant_id", &f.Tenant),
			newFixedField("key_id", &f.KeyID),
			newFixedField("provider", &f.Provider),
			newFixedField("provider_id", &f.ProviderID),
			newFixedField("purpose", &f.Purpose),
			newFixedField("created_at", newMomentCodec(&f.CreatedAt)),
			{column: "data", at: newJSONCodec(&f.BatchFileData)},
		}
	},
})

// BatchFiles reads and writes the files of batches.
type BatchFiles struct{ db *DB }

// BatchFiles returns the files of batches.
func (db *DB) BatchFiles() BatchFiles { return BatchFiles{db} }

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
	return batchFileTable.insert(ctx, tx, *f)
}

// Get returns a tenant's file, or ErrNotFound.
func (fs BatchFiles) Get(ctx context.Context, tenantID, id string) (*BatchFile, error) {
	return batchFileTable.getOwned(ctx, fs.db, tenantID, id)
}

// List returns a page of a tenant's files.
func (fs BatchFiles) List(ctx context.Context, tenantID string, p BatchPage) ([]*BatchFile, error) {
	return batchFileTable.listOwned(ctx, fs.db, tenantID, p)
}

// SetBytes stores the length of a file once it is known. A missing file is not an error.
func (fs BatchFiles) SetBytes(ctx context.Context, id string, bytes int64) error {
	_, err := Records[BatchFile]{fs.db, batchFileTable}.Change(ctx, id, func(f *BatchFile) error {
		f.Bytes = bytes
		return nil
	})
	if errors.Is(err, ErrNotFound) {
		return nil
	}
	return err
}

// Delete removes a tenant's file, or returns ErrNotFound.
func (fs BatchFiles) Delete(ctx context.Context, tenantID, id string) error {
	return batchFileTable.deleteOwned(ctx, fs.db, tenantID, id)
}
