package store

import (
	"context"
	"encoding/json"
	"fmt"
	"time"
)

// BatchJob is a tenant's batch at a provider.
type BatchJob struct {
	ID, Tenant, KeyID    string
	Provider, ProviderID string
	Status               string
	Settled              bool      // ended and its usage recorded
	CreatedAt            time.Time // zero means now
	PolledAt             time.Time // last poll of the provider; zero means never
	BatchJobData
}

// BatchJobData holds the fields that no query filters by. Times are seconds since 1970, or 0.
type BatchJobData struct {
	Endpoint   string            `json:"endpoint"`
	Window     string            `json:"window"`
	InputFile  string            `json:"input_file"`
	OutputFile string            `json:"output_file,omitempty"`
	ErrorFile  string            `json:"error_file,omitempty"`
	Metadata   map[string]string `json:"metadata,omitempty"`
	Errors     json.RawMessage   `json:"errors,omitempty"` // the provider's findings about the input file
	Models     []BatchModel      `json:"models,omitempty"` // of the input file, which may have been deleted

	Total     int64 `json:"total,omitempty"` // requests
	Completed int64 `json:"completed,omitempty"`
	Failed    int64 `json:"failed,omitempty"`

	InProgressAt int64 `json:"in_progress_at,omitempty"`
	ExpiresAt    int64 `json:"expires_at,omitempty"`
	FinalizingAt int64 `json:"finalizing_at,omitempty"`
	CompletedAt  int64 `json:"completed_at,omitempty"`
	FailedAt     int64 `json:"failed_at,omitempty"`
	ExpiredAt    int64 `json:"expired_at,omitempty"`
	CancellingAt int64 `json:"cancelling_at,omitempty"`
	CancelledAt  int64 `json:"cancelled_at,omitempty"`

	Usage *BatchUsage `json:"usage,omitempty"` // set once it is recorded
}

// BatchUsage sums the tokens of a batch, by the provider's count.
type BatchUsage struct {
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Cached    int64 `json:"cached,omitempty"`
	Reasoning int64 `json:"reasoning,omitempty"`
}

var batchJobTable = newTable(table[BatchJob]{
	name: "batch_job", noun: "batch job",
	head: func(j *BatchJob) head { return head{id: &j.ID, created: &j.CreatedAt} },
	fields: func(j *BatchJob) []field {
		return []field{
			newFixedField("id", &j.ID),
			newFixedField("tenant_id", &j.Tenant),
			newFixedField("key_id", &j.KeyID),
			newFixedField("provider", &j.Provider),
			newFixedField("provider_id", &j.ProviderID),
			{column: "status", at: &j.Status},
			{column: "settled", at: &j.Settled},
			newFixedField("created_at", newMomentCodec(&j.CreatedAt)),
			{column: "polled_at", at: newInstantCodec(&j.PolledAt)},
			{column: "data", at: newJSONCodec(&j.BatchJobData)},
		}
	},
})

// BatchJobs reads and writes the batches.
type BatchJobs struct{ db *DB }

// BatchJobs returns the batches.
func (db *DB) BatchJobs() BatchJobs { return BatchJobs{db} }

// Insert adds a batch.
func (js BatchJobs) Insert(ctx context.Context, j *BatchJob) error {
	if j.CreatedAt.IsZero() {
		j.CreatedAt = js.db.now()
	}
	err := js.db.transact(ctx, func(tx *Tx) error { return batchJobTable.insert(ctx, tx, *j) })
	if err != nil {
		return fmt.Errorf("insert batch job: %w", err)
	}
	return nil
}

// Get returns a tenant's batch, or ErrNotFound.
func (js BatchJobs) Get(ctx context.Context, tenantID, id string) (*BatchJob, error) {
	return batchJobTable.getOwned(ctx, js.db, tenantID, id)
}

// List returns a page of a tenant's batches.
func (js BatchJobs) List(ctx context.Context, tenantID string, p BatchPage) ([]*BatchJob, error) {
	return batchJobTable.listOwned(ctx, js.db, tenantID, p)
}

// ListOpen returns batches of all tenants, created since a time, that are not settled; those polled longest ago come first.
func (js BatchJobs) ListOpen(ctx context.Context, since time.Time, limit int) ([]*BatchJob, error) {
	return batchJobTable.queryPointers(
		ctx,
		js.db,
		"WHERE settled = 0 AND created_at >= ? ORDER BY polled_at NULLS FIRST LIMIT ?",
		since.UnixMicro(),
		limit,
	)
}

// Change lets fn edit a batch as it is stored, in one transaction, and returns the result. It inserts the files that fn returns;
// if fn returns false, nothing is written.
func (js BatchJobs) Change(ctx context.Context, id string, fn func(*BatchJob) (files []*BatchFile, changed bool)) (*BatchJob, error) {
	var j BatchJob
	err := js.db.transact(ctx, func(tx *Tx) (err error) {
		if j, err = batchJobTable.lock(ctx, tx, id); err != nil {
			return err
		}
		now := j
		files, changed := fn(&now)
		if !changed {
			j = now
			return nil
		}
		for _, f := range files {
			if err = js.db.BatchFiles().insert(ctx, tx, f); err != nil {
				return err
			}
		}
		_, err = batchJobTable.update(ctx, js.db, tx, &j, func(j *BatchJob) error {
			*j = now
			return nil
		})
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("change batch job: %w", err)
	}
	return &j, nil
}

// Delete removes a tenant's batch, or returns ErrNotFound.
func (js BatchJobs) Delete(ctx context.Context, tenantID, id string) error {
	return batchJobTable.deleteOwned(ctx, js.db, tenantID, id)
}
