package store

import (
	"context"
	"database/sql"
	"encoding/json"
	"errors"
	"fmt"
	"time"
)

// BatchJob is a batch of a tenant's at a provider.
type BatchJob struct {
	ID, Tenant, KeyID    string
	Provider, ProviderID string
	Status               string
	Settled              bool      // it has ended and its usage is booked: nothing is left to do
	CreatedAt            time.Time // zero means now
	PolledAt             time.Time // when the provider was asked last; zero means never
	BatchJobData
}

// BatchJobData is what no query asks for. Times are seconds since 1970, 0 for none.
type BatchJobData struct {
	Endpoint   string            `json:"endpoint"`
	Window     string            `json:"window"`
	InputFile  string            `json:"input_file"`
	OutputFile string            `json:"output_file,omitempty"`
	ErrorFile  string            `json:"error_file,omitempty"`
	Metadata   map[string]string `json:"metadata,omitempty"`
	Errors     json.RawMessage   `json:"errors,omitempty"` // a list of what the provider found in the file
	Models     []BatchModel      `json:"models,omitempty"` // of the input file, which may be gone

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

	Usage *BatchUsage `json:"usage,omitempty"` // set when it is booked
}

// BatchUsage sums the tokens of a batch, by the provider's count.
type BatchUsage struct {
	Input     int64 `json:"input"`
	Output    int64 `json:"output"`
	Cached    int64 `json:"cached,omitempty"`
	Reasoning int64 `json:"reasoning,omitempty"`
}

type batchJobRow struct {
	Seq        int64         `db:"seq"`
	ID         string        `db:"id"`
	Tenant     string        `db:"tenant_id"`
	KeyID      string        `db:"key_id"`
	Provider   string        `db:"provider"`
	ProviderID string        `db:"provider_id"`
	Status     string        `db:"status"`
	Settled    bool          `db:"settled"`
	CreatedAt  int64         `db:"created_at"`
	PolledAt   sql.NullInt64 `db:"polled_at"`
	Data       string        `db:"data"`
}

// Insert adds a batch.
func (js BatchJobs) Insert(ctx context.Context, j *BatchJob) error {
	if j.CreatedAt.IsZero() {
		j.CreatedAt = js.db.now()
	}
	row, err := j.row()
	if err == nil {
		err = js.db.transact(ctx, func(tx *Tx) error {
			_, err := tx.NamedExecContext(ctx, `
				INSERT INTO batch_job (id, tenant_id, key_id, provider, provider_id, status, settled, created_at, polled_at, data)
				VALUES (:id, :tenant_id, :key_id, :provider, :provider_id, :status, :settled, :created_at, :polled_at, :data)`, row)
			return err
		})
	}
	if err != nil {
		return fmt.Errorf("insert batch job: %w", err)
	}
	return nil
}

// Get is the tenant's batch with that id, or ErrNotFound.
func (js BatchJobs) Get(ctx context.Context, tenantID, id string) (*BatchJob, error) {
	var row batchJobRow
	if err := js.db.read.GetContext(ctx, &row, "SELECT * FROM batch_job WHERE id = ? AND tenant_id = ?", id, tenantID); err != nil {
		return nil, fmt.Errorf("read batch job: %w", named(err))
	}
	return row.job()
}

// List are a page of the tenant's batches.
func (js BatchJobs) List(ctx context.Context, tenantID string, p BatchPage) ([]*BatchJob, error) {
	var rows []batchJobRow
	if err := js.db.batchPage(ctx, &rows, "batch_job", tenantID, p); err != nil {
		return nil, fmt.Errorf("list batch jobs: %w", err)
	}
	return batchJobs(rows)
}

// ListOpen are the batches of all tenants, made since a time, that are not settled; those that were not asked about
// for the longest time come first.
func (js BatchJobs) ListOpen(ctx context.Context, since time.Time, limit int) ([]*BatchJob, error) {
	var rows []batchJobRow
	err := js.db.read.SelectContext(ctx, &rows,
		"SELECT * FROM batch_job WHERE settled = 0 AND created_at >= ? ORDER BY polled_at NULLS FIRST LIMIT ?", since.UnixMicro(), limit)
	if err != nil {
		return nil, fmt.Errorf("list open batch jobs: %w", err)
	}
	return batchJobs(rows)
}

// Change lets fn change a batch as it stands, in one transaction, and gives it as it is then. Files that fn
// returns are added with it; when fn answers false nothing is written.
func (js BatchJobs) Change(ctx context.Context, id string, fn func(*BatchJob) (files []*BatchFile, changed bool)) (*BatchJob, error) {
	var j *BatchJob
	err := js.db.transact(ctx, func(tx *Tx) error {
		var row batchJobRow
		err := tx.GetContext(ctx, &row, "SELECT * FROM batch_job WHERE id = ?"+tx.forUpdate(), id)
		if err != nil {
			return err
		}
		if j, err = row.job(); err != nil {
			return err
		}
		files, changed := fn(j)
		if !changed {
			return nil
		}
		for _, f := range files {
			if err = js.db.BatchFiles().insert(ctx, tx, f); err != nil {
				return err
			}
		}
		if row, err = j.row(); err != nil {
			return err
		}
		_, err = tx.NamedExecContext(ctx,
			"UPDATE batch_job SET status = :status, settled = :settled, polled_at = :polled_at, data = :data WHERE id = :id", row)
		return err
	})
	if err != nil {
		return nil, fmt.Errorf("change batch job: %w", err)
	}
	return j, nil
}

// SetBytes keeps how long a file is, once that is known.
func (fs BatchFiles) SetBytes(ctx context.Context, id string, bytes int64) error {
	err := fs.db.transact(ctx, func(tx *Tx) error {
		var row batchFileRow
		err := tx.GetContext(ctx, &row, "SELECT * FROM batch_file WHERE id = ?"+tx.forUpdate(), id)
		if errors.Is(err, sql.ErrNoRows) {
			return nil // deleted meanwhile
		}
		if err != nil {
			return err
		}
		f, err := row.file()
		if err != nil {
			return err
		}
		f.Bytes = bytes
		data, err := json.Marshal(f.BatchFileData)
		if err != nil {
			return err
		}
		_, err = tx.ExecContext(ctx, "UPDATE batch_file SET data = ? WHERE id = ?", string(data), id)
		return err
	})
	if err != nil {
		return fmt.Errorf("change batch file: %w", err)
	}
	return nil
}

// Delete deletes the tenant's batch; ErrNotFound when there is none with the id.
func (js BatchJobs) Delete(ctx context.Context, tenantID, id string) error {
	return js.db.deleteBatch(ctx, "batch_job", tenantID, id)
}

func batchJobs(rows []batchJobRow) ([]*BatchJob, error) {
	list := make([]*BatchJob, len(rows))
	for i := range rows {
		j, err := rows[i].job()
		if err != nil {
			return nil, err
		}
		list[i] = j
	}
	return list, nil
}

func (j *BatchJob) row() (batchJobRow, error) {
	data, err := json.Marshal(j.BatchJobData)
	return batchJobRow{
		ID: j.ID, Tenant: j.Tenant, KeyID: j.KeyID, Provider: j.Provider, ProviderID: j.ProviderID, Status: j.Status,
		Settled: j.Settled, CreatedAt: j.CreatedAt.UnixMicro(), PolledAt: micros(j.PolledAt), Data: string(data),
	}, err
}

func (r *batchJobRow) job() (*BatchJob, error) {
	j := &BatchJob{
		ID: r.ID, Tenant: r.Tenant, KeyID: r.KeyID, Provider: r.Provider, ProviderID: r.ProviderID, Status: r.Status,
		Settled: r.Settled, CreatedAt: time.UnixMicro(r.CreatedAt).UTC(), PolledAt: instant(r.PolledAt),
	}
	if err := json.Unmarshal([]byte(r.Data), &j.BatchJobData); err != nil {
		return nil, fmt.Errorf("read batch job %q: %w", r.ID, err)
	}
	return j, nil
}
