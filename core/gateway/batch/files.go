package batch

import (
	"context"
	"errors"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Limits of a page, as the vendor has them.
const (
	pageFiles   = 10_000
	pageBatches = 100
	pageUsual   = 20
)

// readPage parses the paging parameters of a list.
func (c *call) readPage(longest, usual int) (p store.BatchPage, e *core.Error) {
	q := c.r.URL.Query()
	p.After, p.Limit = q.Get("after"), usual
	if s := q.Get("limit"); s != "" {
		n, err := strconv.Atoi(s)
		if err != nil || n < 1 || n > longest {
			return p, newInvalidError("limit", `"limit" must be a number from 1 to `+strconv.Itoa(longest))
		}
		p.Limit = n
	}
	switch q.Get("order") {
	case "", "desc":
	case "asc":
		p.Oldest = true
	default:
		return p, newInvalidError("order", `"order" must be "asc" or "desc"`)
	}
	p.Limit++ // one more shows whether there are more
	return p, nil
}

func (c *call) listFiles(ctx context.Context) *core.Error {
	p, e := c.readPage(pageFiles, pageFiles)
	if e != nil {
		return e
	}
	p.Purpose = c.r.URL.Query().Get("purpose")
	found, err := c.Store.BatchFiles().List(ctx, c.x.Principal.Tenant, p)
	if err != nil {
		return convertStoreError(err, "file")
	}
	out := list[file]{Object: "list", Data: []file{}, HasMore: len(found) == p.Limit}
	for _, f := range found[:min(len(found), p.Limit-1)] {
		if c.removeIfGone(ctx, f) {
			continue
		}
		out.Data = append(out.Data, newFileObject(f))
	}
	if n := len(out.Data); n > 0 {
		out.FirstID, out.LastID = &out.Data[0].ID, &out.Data[n-1].ID
	}
	return c.reply(out)
}

// removeIfGone removes the record of a file that has expired, or that its backend in this process has forgotten. It
// reports whether it did.
func (c *call) removeIfGone(ctx context.Context, f *store.BatchFile) bool {
	b, ok := c.rules.Backends[f.Provider]
	expired := f.ExpiresAt > 0 && f.ExpiresAt <= c.Clock().Unix()
	if !expired && (!ok || isHeld(b, f.ProviderID)) {
		return false
	}
	err := c.Store.BatchFiles().Delete(context.WithoutCancel(ctx), f.Tenant, f.ID)
	if err != nil && !errors.Is(err, store.ErrNotFound) {
		c.Lost("batch file", f.ID, err)
	}
	return true
}

// findFile returns the caller's file.
func (c *call) findFile(ctx context.Context, id string) (*store.BatchFile, *core.Error) {
	f, err := c.Store.BatchFiles().Get(ctx, c.x.Principal.Tenant, id)
	if err != nil {
		return nil, convertStoreError(err, "file")
	}
	if c.removeIfGone(ctx, f) {
		return nil, newNotFoundError("file")
	}
	return f, nil
}

func (c *call) getFile(ctx context.Context) *core.Error {
	f, e := c.findFile(ctx, c.r.PathValue("id"))
	if e != nil {
		return e
	}
	return c.reply(newFileObject(f))
}

// bookBatch books the batch whose results a file holds, if that has not happened: its usage is only in the results.
func (c *call) bookBatch(ctx context.Context, b backend.Backend, f *store.BatchFile) *core.Error {
	if f.Purpose != purposeOutput {
		return nil
	}
	id, _, _ := strings.Cut(strings.TrimPrefix(f.Name, batchPrefix), "_")
	j, err := c.Store.BatchJobs().Get(ctx, f.Tenant, batchPrefix+id)
	switch {
	case errors.Is(err, store.ErrNotFound):
		return nil
	case err != nil:
		return core.ConvertError(err)
	case j.Settled || c.book(ctx, b, j):
		return nil
	}
	return &core.Error{
		Kind: core.Unavailable, Code: core.CodeOverloaded, RetryAfter: time.Second,
		Public: "the usage of this file's batch could not be booked yet, so the file is kept; try again",
	}
}

// deleteFile deletes a file, at the provider first. A file that the provider no longer has is deleted too.
func (c *call) deleteFile(ctx context.Context) *core.Error {
	f, e := c.findFile(ctx, c.r.PathValue("id"))
	if e != nil {
		return e
	}
	b, e := c.findBackend(f.Provider)
	if e != nil {
		return e
	}
	ctx = context.WithoutCancel(ctx)
	if e = c.bookBatch(ctx, b, f); e != nil {
		return e
	}
	if e = b.Delete(ctx, f.ProviderID); e != nil && e.Kind != core.NotFound {
		return e
	}
	if err := c.Store.BatchFiles().Delete(ctx, f.Tenant, f.ID); err != nil {
		return convertStoreError(err, "file")
	}
	return c.reply(struct {
		ID      string `json:"id"`
		Object  string `json:"object"`
		Deleted bool   `json:"deleted"`
	}{f.ID, "file", true})
}
