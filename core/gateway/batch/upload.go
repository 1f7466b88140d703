package batch

import (
	"context"
	"errors"
	"io"
	"net/http"
	"os"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// purposeBatch is the only accepted purpose of uploads, purposeOutput that of results.
const (
	purposeBatch  = "batch"
	purposeOutput = "batch_output"
)

// createFile takes a file of requests. It streams: each line is checked and redacted as it arrives, and the output waits on
// disk.
func (c *call) createFile(ctx context.Context) *core.Error {
	parts, err := c.r.MultipartReader()
	if err != nil {
		return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Err: err, Public: "upload the file as multipart/form-data"}
	}
	out, err := newSpool(c.TempDir)
	if err != nil {
		return core.ConvertError(err)
	}
	defer func() {
		if err := out.close(); err != nil {
			c.Lost("temporary file", c.x.ID, err)
		}
	}()
	in := &intake{call: c, out: out, seen: map[[16]byte]struct{}{}}
	var f form
	e := f.read(ctx, parts, in)
	c.record.endpoint, c.record.lines, c.record.models = in.endpoint, in.n, listModelNames(in.models)
	if e == nil {
		e = f.check()
	}
	if e != nil {
		// A client that is still sending reads the error only after the rest was read.
		_, _ = io.Copy(io.Discard, io.LimitReader(c.r.Body, c.MaxFile))
		return e
	}
	file := &store.BatchFile{
		ID: newID("file-"), Tenant: c.x.Principal.Tenant, KeyID: c.x.Principal.KeyID, Provider: in.provider, Purpose: purposeBatch,
		CreatedAt: c.Clock(),
		BatchFileData: store.BatchFileData{
			Name: f.name, Bytes: in.received, Lines: int64(in.n), Endpoint: in.endpoint, Models: in.models,
		},
	}
	if f.seconds > 0 {
		file.ExpiresAt = file.CreatedAt.Unix() + f.seconds
	}
	return c.uploadFile(ctx, file, out, time.Duration(f.seconds)*time.Second)
}

// uploadFile uploads the finished file to the provider.
func (c *call) uploadFile(ctx context.Context, file *store.BatchFile, out *spool, expires time.Duration) *core.Error {
	c.record.file = file.ID
	b, e := c.findBackend(file.Provider)
	if e != nil {
		return e
	}
	if e = c.auditRequest(ctx); e != nil {
		return e
	}
	if c.Settle != nil {
		if err := c.Settle(ctx); err != nil {
			return core.ConvertError(err)
		}
	}
	u, err := out.buildUpload()
	if err != nil {
		return core.ConvertError(err)
	}
	u.Name, u.Expires = file.ID+".jsonl", expires
	if file.ProviderID, e = b.Upload(ctx, u); e != nil {
		return e
	}
	ctx = context.WithoutCancel(ctx) // the provider has it now
	if err := c.Store.BatchFiles().Insert(ctx, file); err != nil {
		if e := b.Delete(ctx, file.ProviderID); e != nil {
			c.Lost("batch file", file.ID, e)
		}
		return core.ConvertError(err)
	}
	return c.reply(newFileObject(file))
}

func listModelNames(models []store.BatchModel) []string {
	out := make([]string, len(models))
	for i := range models {
		out[i] = models[i].Name
	}
	return out
}

// mapReadError is the error of a body that was cut off.
func mapReadError(err error) *core.Error {
	if errors.Is(err, context.Canceled) {
		return &core.Error{
			Kind: core.Canceled, Code: core.CodeCanceled, Public: "the client hung up before the request body was complete", Err: err,
		}
	}
	if errors.Is(err, os.ErrDeadlineExceeded) {
		return &core.Error{
			Kind: core.InvalidRequest, Status: http.StatusRequestTimeout, Code: core.CodeRequestTimeout, Err: err,
			Public: "the request body arrived too slowly; send it without pauses",
		}
	}
	var large *http.MaxBytesError
	if errors.As(err, &large) {
		return &core.Error{
			Kind: core.TooLarge, Code: core.CodeTooLarge, Err: err,
			Public: "the request body is larger than " + strconv.FormatInt(large.Limit, 10) + " bytes",
		}
	}
	return &core.Error{
		Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Err: err,
		Public: "the request body ended before all of it had arrived, or is not multipart/form-data",
	}
}
