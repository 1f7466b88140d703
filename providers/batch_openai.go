package providers

import (
	"context"
	"encoding/json"
	"io"
	"net/url"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// BatchSettings configure the files and batches of a provider with OpenAI's API.
type BatchSettings struct {
	Label string // the provider's name in its usual spelling
	// Base is the URL before /files and /batches, such as https://api.openai.com/v1. Its query, such as Azure's
	// api-version, is part of every call.
	Base     *url.URL
	Header   []upstream.Field // credentials; no fields that describe the body
	Timeouts upstream.Timeouts
	Client   upstream.Client
}

// batchTimeout limits a call without a file.
const batchTimeout = time.Minute

// batchOpenAI is the batch service of OpenAI, and of Azure OpenAI.
type batchOpenAI struct{ BatchSettings }

var _ backend.Backend = (*batchOpenAI)(nil)

// NewBatchOpenAI returns the batch service of a provider with OpenAI's API.
func NewBatchOpenAI(s BatchSettings) backend.Backend { return &batchOpenAI{s} }

// batchAnswer is the provider's description of a batch.
type batchAnswer struct {
	ID           string  `json:"id"`
	Status       string  `json:"status"`
	OutputFile   *string `json:"output_file_id"`
	ErrorFile    *string `json:"error_file_id"`
	InProgressAt *int64  `json:"in_progress_at"`
	ExpiresAt    *int64  `json:"expires_at"`
	FinalizingAt *int64  `json:"finalizing_at"`
	CompletedAt  *int64  `json:"completed_at"`
	FailedAt     *int64  `json:"failed_at"`
	ExpiredAt    *int64  `json:"expired_at"`
	CancellingAt *int64  `json:"cancelling_at"`
	CancelledAt  *int64  `json:"cancelled_at"`
	Counts       *struct {
		Total     int64 `json:"total"`
		Completed int64 `json:"completed"`
		Failed    int64 `json:"failed"`
	} `json:"request_counts"`
	Errors *struct {
		Data []backend.Error `json:"data"`
	} `json:"errors"`
}

// batchExpiry requests the deletion of a file after a time.
type batchExpiry struct {
	Anchor  string `json:"anchor"`
	Seconds int64  `json:"seconds"`
}

func (b *batchOpenAI) Create(ctx context.Context, o *backend.Order) (*backend.State, *core.Error) {
	order := struct {
		File     string       `json:"input_file_id"`
		Endpoint string       `json:"endpoint"`
		Window   string       `json:"completion_window"`
		Expires  *batchExpiry `json:"output_expires_after,omitempty"`
	}{File: o.File, Endpoint: o.Endpoint, Window: o.Window}
	if o.Expires > 0 {
		order.Expires = &batchExpiry{"created_at", int64(o.Expires / time.Second)}
	}
	body, err := json.Marshal(order)
	if err != nil {
		return nil, core.ConvertError(err)
	}
	return b.callState(ctx, "POST", body, "batches")
}

func (b *batchOpenAI) Get(ctx context.Context, id string) (*backend.State, *core.Error) {
	return b.callState(ctx, "GET", nil, "batches", id)
}

func (b *batchOpenAI) Cancel(ctx context.Context, id string) (*backend.State, *core.Error) {
	return b.callState(ctx, "POST", nil, "batches", id, "cancel")
}

func (b *batchOpenAI) Delete(ctx context.Context, id string) *core.Error {
	return b.callJSON(ctx, "DELETE", nil, nil, "files", id)
}

func (b *batchOpenAI) OpenContent(ctx context.Context, id string) (io.ReadCloser, *core.Error) {
	res, e := b.call(ctx, &upstream.Request{Method: "GET", Header: b.Header}, "files", id, "content")
	if e != nil {
		return nil, e
	}
	return res.Body, nil
}

func (b *batchOpenAI) callState(ctx context.Context, method string, body []byte, path ...string) (*backend.State, *core.Error) {
	var a batchAnswer
	if e := b.callJSON(ctx, method, body, &a, path...); e != nil {
		return nil, e
	}
	s := &backend.State{
		ID: a.ID, Status: a.Status, OutputFile: valueOrZero(a.OutputFile), ErrorFile: valueOrZero(a.ErrorFile),
		InProgressAt: valueOrZero(a.InProgressAt), ExpiresAt: valueOrZero(a.ExpiresAt), FinalizingAt: valueOrZero(a.FinalizingAt),
		CompletedAt: valueOrZero(a.CompletedAt), FailedAt: valueOrZero(a.FailedAt), ExpiredAt: valueOrZero(a.ExpiredAt),
		CancellingAt: valueOrZero(a.CancellingAt), CancelledAt: valueOrZero(a.CancelledAt),
	}
	if a.Counts != nil {
		s.Total, s.Completed, s.Failed = a.Counts.Total, a.Counts.Completed, a.Counts.Failed
	}
	if a.Errors != nil {
		s.Errors = a.Errors.Data[:min(len(a.Errors.Data), maxBatchErrors)]
	}
	for _, id := range []string{s.OutputFile, s.ErrorFile} {
		if id != "" && !isBatchID(id) {
			return nil, b.newInvalidAnswerError(nil)
		}
	}
	if !isBatchID(s.ID) || s.Status == "" {
		return nil, b.newInvalidAnswerError(nil)
	}
	return s, nil
}

// maxBatchErrors is how many errors of a file are passed on.
const maxBatchErrors = 1000

// isBatchID reports whether an id can be written in a URL without escaping.
func isBatchID(id string) bool {
	for i := range len(id) {
		c := id[i]
		if (c < 'a' || c > 'z') && (c < 'A' || c > 'Z') && (c < '0' || c > '9') && c != '-' && c != '_' {
			return false
		}
	}
	return id != "" && len(id) <= 128
}

// valueOrZero returns the value that p points to, or the zero value if p is nil.
func valueOrZero[T any](p *T) (v T) {
	if p != nil {
		v = *p
	}
	return v
}
