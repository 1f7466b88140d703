package batch

import (
	"context"
	"errors"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/records/store"
)

// batchPrefix starts the ids of batches.
const batchPrefix = "batch_"

// createBatch starts a batch of an uploaded file. Its models are checked again: permissions may have changed since the
// upload.
func (c *call) createBatch(ctx context.Context) *core.Error {
	o, e := readOrder(c.w, c.r)
	if e != nil {
		return e
	}
	c.record.file, c.record.endpoint = o.File, o.Endpoint
	f, e := c.findFile(ctx, o.File)
	if e != nil {
		e.Param = "input_file_id"
		return e
	}
	switch {
	case f.Purpose != purposeBatch:
		return newInvalidError("input_file_id", "this file contains no requests; upload one with the purpose batch")
	case f.Endpoint != o.Endpoint:
		return newInvalidError("endpoint", "the requests in the file are for "+f.Endpoint)
	}
	c.record.lines, c.record.models = int(f.Lines), listModelNames(f.Models)
	for _, m := range f.Models {
		if e = c.checkModel(ctx, f.Provider, f.Endpoint, m); e != nil {
			return addLineNumber(m.Line, e)
		}
	}
	b, e := c.findBackend(f.Provider)
	if e != nil {
		return e
	}
	j := &store.BatchJob{
		ID: newID(batchPrefix), Tenant: f.Tenant, KeyID: c.x.Principal.KeyID, Provider: f.Provider, CreatedAt: c.Clock(),
		BatchJobData: store.BatchJobData{Endpoint: o.Endpoint, Window: o.Window, InputFile: f.ID, Metadata: o.Metadata, Models: f.Models},
	}
	c.record.batch = j.ID
	if e = c.auditRequest(ctx); e != nil {
		return e
	}
	ctx = context.WithoutCancel(ctx) // a started batch must not be lost
	state, e := b.Create(ctx, &backend.Order{File: f.ProviderID, Endpoint: o.Endpoint, Window: o.Window, Expires: o.computeExpiry()})
	if e != nil {
		return e
	}
	j.ProviderID, j.Status = state.ID, backend.Validating
	files := mergeState(j, state, c.Clock())
	if err := c.Store.BatchJobs().Insert(ctx, j); err != nil {
		if _, e := b.Cancel(ctx, state.ID); e != nil {
			c.Lost("batch", j.ID, e)
		}
		return core.ConvertError(err)
	}
	for _, out := range files { // a provider that finishes at once
		if err := c.Store.BatchFiles().Insert(ctx, out); err != nil {
			return core.ConvertError(err)
		}
	}
	if isFinal(j.Status) {
		c.wakeWatch()
	}
	return c.reply(newJobObject(j))
}

// findJob returns the caller's batch.
func (c *call) findJob(ctx context.Context) (*store.BatchJob, *core.Error) {
	j, err := c.Store.BatchJobs().Get(ctx, c.x.Principal.Tenant, c.r.PathValue("id"))
	if err != nil {
		return nil, convertStoreError(err, "batch")
	}
	if c.removeIfForgotten(ctx, j) {
		return nil, newNotFoundError("batch")
	}
	return j, nil
}

// removeIfForgotten removes the record of a batch that its backend in this process no longer knows. It reports whether
// it did.
func (c *call) removeIfForgotten(ctx context.Context, j *store.BatchJob) bool {
	if b, ok := c.rules.Backends[j.Provider]; !ok || isHeld(b, j.ProviderID) {
		return false
	}
	c.deleteJob(context.WithoutCancel(ctx), j)
	return true
}

func (s *Service) deleteJob(ctx context.Context, j *store.BatchJob) {
	err := s.Store.BatchJobs().Delete(ctx, j.Tenant, j.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		s.reportFailure(ctx, "batch", j.ID, err)
	}
}

func (c *call) getBatch(ctx context.Context) *core.Error {
	j, e := c.findJob(ctx)
	if e != nil {
		return e
	}
	if b, ok := c.rules.Backends[j.Provider]; ok {
		c.x.Target.Provider = j.Provider
		j = c.refresh(context.WithoutCancel(ctx), b, j, c.Ask)
	}
	return c.reply(newJobObject(j))
}

func (c *call) listBatches(ctx context.Context) *core.Error {
	p, e := c.readPage(pageBatches, pageUsual)
	if e != nil {
		return e
	}
	found, err := c.Store.BatchJobs().List(ctx, c.x.Principal.Tenant, p)
	if err != nil {
		return convertStoreError(err, "batch")
	}
	out := list[job]{Object: "list", Data: []job{}, HasMore: len(found) == p.Limit}
	for _, j := range found[:min(len(found), p.Limit-1)] {
		if !c.removeIfForgotten(ctx, j) {
			out.Data = append(out.Data, newJobObject(j))
		}
	}
	if n := len(out.Data); n > 0 {
		out.FirstID, out.LastID = &out.Data[0].ID, &out.Data[n-1].ID
	}
	return c.reply(out)
}

// cancelBatch asks the provider to stop a batch.
func (c *call) cancelBatch(ctx context.Context) *core.Error {
	j, e := c.findJob(ctx)
	if e != nil {
		return e
	}
	c.record.batch, c.record.file, c.record.endpoint = j.ID, j.InputFile, j.Endpoint
	if isFinal(j.Status) {
		return &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Status: http.StatusConflict,
			Public: "a batch with the status " + j.Status + " cannot be cancelled",
		}
	}
	b, e := c.findBackend(j.Provider)
	if e != nil {
		return e
	}
	if e = c.auditRequest(ctx); e != nil {
		return e
	}
	ctx = context.WithoutCancel(ctx)
	state, e := b.Cancel(ctx, j.ProviderID)
	if e != nil {
		return e
	}
	if j, e = c.storeState(ctx, j.ID, state); e != nil {
		return e
	}
	return c.reply(newJobObject(j))
}
