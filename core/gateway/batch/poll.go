package batch

import (
	"context"
	"encoding/json"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/records/store"
)

// watchAge is how long a batch is polled: its window is a day, and results are kept for a month at most.
const watchAge = 31 * 24 * time.Hour

// watchSome limits the batches of one round.
const watchSome = 10_000

// watch polls batches that no client polls, and books those that have ended.
func (s *Service) watch(ctx context.Context) {
	tick := time.NewTicker(s.Watch)
	defer tick.Stop()
	for {
		s.pollBatches(ctx)
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
		case <-s.wake:
		}
	}
}

// wakeWatch starts a round now: a batch has ended.
func (s *Service) wakeWatch() {
	select {
	case s.wake <- struct{}{}:
	default:
	}
}

func (s *Service) pollBatches(ctx context.Context) {
	open, err := s.Store.BatchJobs().ListOpen(ctx, s.Clock().Add(-watchAge), watchSome)
	if err != nil {
		if ctx.Err() == nil {
			s.Lost("batches", "", err)
		}
		return
	}
	for _, j := range open {
		if ctx.Err() != nil {
			return
		}
		s.pollBatch(ctx, j)
	}
}

// pollBatch polls one batch. It takes the rules again: a round may take long, and rules in use cannot be released.
func (s *Service) pollBatch(ctx context.Context, j *store.BatchJob) {
	rules := s.Rules()
	if rules.Release != nil {
		defer rules.Release()
	}
	b, ok := rules.Backends[j.Provider]
	switch {
	case !ok:
		return
	case !isHeld(b, j.ProviderID):
		s.deleteJob(ctx, j)
		return
	}
	if j = s.refresh(ctx, b, j, s.Watch); isFinal(j.Status) {
		s.book(ctx, b, j)
	}
}

// refresh asks the provider for a batch's state, unless it has ended or was asked within the given time. If the
// provider does not answer, the batch stays as it was.
func (s *Service) refresh(ctx context.Context, b backend.Backend, j *store.BatchJob, every time.Duration) *store.BatchJob {
	mine, now := false, s.Clock()
	if isFinal(j.Status) || now.Sub(j.PolledAt) < every {
		return j
	}
	claimed, err := s.Store.BatchJobs().Change(ctx, j.ID, func(j *store.BatchJob) ([]*store.BatchFile, bool) {
		if mine = !isFinal(j.Status) && now.Sub(j.PolledAt) >= every; mine {
			j.PolledAt = now
		}
		return nil, mine
	})
	if err != nil {
		s.reportFailure(ctx, "batch", j.ID, err)
		return j
	}
	if !mine {
		return claimed
	}
	state, e := b.Get(ctx, j.ProviderID)
	if e != nil {
		s.reportFailure(ctx, "batch", j.ID, e)
		return claimed
	}
	fresh, e := s.storeState(ctx, j.ID, state)
	if e != nil {
		s.reportFailure(ctx, "batch", j.ID, e)
		return claimed
	}
	return fresh
}

func (s *Service) reportFailure(ctx context.Context, what, id string, err error) {
	if ctx.Err() == nil {
		s.Lost(what, id, err)
	}
}

// storeState stores the state of a batch from its provider.
func (s *Service) storeState(ctx context.Context, id string, state *backend.State) (*store.BatchJob, *core.Error) {
	ended, now := false, s.Clock()
	j, err := s.Store.BatchJobs().Change(ctx, id, func(j *store.BatchJob) ([]*store.BatchFile, bool) {
		if isFinal(j.Status) {
			return nil, false
		}
		j.PolledAt = now
		files := mergeState(j, state, now)
		ended = isFinal(j.Status)
		return files, true
	})
	if err != nil {
		return nil, convertStoreError(err, "batch")
	}
	if ended {
		s.wakeWatch()
	}
	return j, nil
}

// mergeState takes over a batch's state from its provider, and returns records of new result files. Answers may come
// out of order: a batch that is being cancelled does not become a running one again.
func mergeState(j *store.BatchJob, state *backend.State, now time.Time) (files []*store.BatchFile) {
	switch state.Status {
	case backend.Failed, backend.Completed, backend.Expired, backend.Cancelled, backend.Cancelling:
		j.Status = state.Status
	case backend.Validating, backend.InProgress, backend.Finalizing:
		if j.Status != backend.Cancelling {
			j.Status = state.Status
		}
	}
	for _, v := range []struct {
		to   *int64
		from int64
	}{
		{&j.Total, state.Total},
		{&j.Completed, state.Completed},
		{&j.Failed, state.Failed},
		{&j.InProgressAt, state.InProgressAt},
		{&j.ExpiresAt, state.ExpiresAt},
		{&j.FinalizingAt, state.FinalizingAt},
		{&j.CompletedAt, state.CompletedAt},
		{&j.FailedAt, state.FailedAt},
		{&j.ExpiredAt, state.ExpiredAt},
		{&j.CancellingAt, state.CancellingAt},
		{&j.CancelledAt, state.CancelledAt},
	} {
		if v.from != 0 {
			*v.to = v.from
		}
	}
	if len(state.Errors) > 0 {
		j.Errors, _ = json.Marshal(state.Errors) // strings and numbers
	}
	result := func(known *string, id, name string) {
		if id == "" || *known != "" {
			return
		}
		f := &store.BatchFile{
			ID: newID("file-"), Tenant: j.Tenant, KeyID: j.KeyID, Provider: j.Provider, ProviderID: id,
			Purpose: purposeOutput, CreatedAt: now,
		}
		f.Name, f.Endpoint, f.Models = j.ID+name, j.Endpoint, j.Models
		*known, files = f.ID, append(files, f)
	}
	result(&j.OutputFile, state.OutputFile, "_output.jsonl")
	result(&j.ErrorFile, state.ErrorFile, "_error.jsonl")
	return files
}
