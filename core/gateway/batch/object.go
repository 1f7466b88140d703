package batch

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/records/store"
)

// file is a file as clients see it.
type file struct {
	ID        string `json:"id"`
	Object    string `json:"object"`
	Bytes     int64  `json:"bytes"`
	CreatedAt int64  `json:"created_at"`
	ExpiresAt *int64 `json:"expires_at,omitempty"`
	Filename  string `json:"filename"`
	Purpose   string `json:"purpose"`
	Status    string `json:"status"`
}

func newFileObject(f *store.BatchFile) file {
	return file{
		ID: f.ID, Object: "file", Bytes: f.Bytes, CreatedAt: f.CreatedAt.Unix(), ExpiresAt: makeOptional(f.ExpiresAt),
		Filename: f.Name, Purpose: f.Purpose, Status: "processed",
	}
}

// job is a batch as clients see it.
type job struct {
	ID               string            `json:"id"`
	Object           string            `json:"object"`
	Endpoint         string            `json:"endpoint"`
	Model            string            `json:"model,omitempty"`
	Errors           *faults           `json:"errors"`
	InputFileID      string            `json:"input_file_id"`
	CompletionWindow string            `json:"completion_window"`
	Status           string            `json:"status"`
	OutputFileID     *string           `json:"output_file_id"`
	ErrorFileID      *string           `json:"error_file_id"`
	CreatedAt        int64             `json:"created_at"`
	InProgressAt     *int64            `json:"in_progress_at"`
	ExpiresAt        *int64            `json:"expires_at"`
	FinalizingAt     *int64            `json:"finalizing_at"`
	CompletedAt      *int64            `json:"completed_at"`
	FailedAt         *int64            `json:"failed_at"`
	ExpiredAt        *int64            `json:"expired_at"`
	CancellingAt     *int64            `json:"cancelling_at"`
	CancelledAt      *int64            `json:"cancelled_at"`
	RequestCounts    counts            `json:"request_counts"`
	Usage            *usage            `json:"usage,omitempty"`
	Metadata         map[string]string `json:"metadata"`
}

type faults struct {
	Object string          `json:"object"`
	Data   json.RawMessage `json:"data"`
}

type counts struct {
	Total     int64 `json:"total"`
	Completed int64 `json:"completed"`
	Failed    int64 `json:"failed"`
}

type usage struct {
	Input        int64 `json:"input_tokens"`
	InputDetails struct {
		Cached int64 `json:"cached_tokens"`
	} `json:"input_tokens_details"`
	Output        int64 `json:"output_tokens"`
	OutputDetails struct {
		Reasoning int64 `json:"reasoning_tokens"`
	} `json:"output_tokens_details"`
	Total int64 `json:"total_tokens"`
}

func newJobObject(j *store.BatchJob) job {
	o := job{
		ID: j.ID, Object: "batch", Endpoint: j.Endpoint, InputFileID: j.InputFile, CompletionWindow: j.Window,
		Status: j.Status, OutputFileID: makeOptional(j.OutputFile), ErrorFileID: makeOptional(j.ErrorFile), CreatedAt: j.CreatedAt.Unix(),
		InProgressAt: makeOptional(j.InProgressAt), ExpiresAt: makeOptional(j.ExpiresAt), FinalizingAt: makeOptional(j.FinalizingAt),
		CompletedAt: makeOptional(j.CompletedAt), FailedAt: makeOptional(j.FailedAt), ExpiredAt: makeOptional(j.ExpiredAt),
		CancellingAt: makeOptional(j.CancellingAt), CancelledAt: makeOptional(j.CancelledAt),
		RequestCounts: counts{j.Total, j.Completed, j.Failed}, Metadata: j.Metadata,
	}
	if len(j.Models) == 1 {
		o.Model = j.Models[0].Name
	}
	if len(j.Errors) > 0 {
		o.Errors = &faults{Object: "list", Data: j.Errors}
	}
	if u := j.Usage; u != nil {
		o.Usage = &usage{Input: u.Input, Output: u.Output, Total: u.Input + u.Output}
		o.Usage.InputDetails.Cached, o.Usage.OutputDetails.Reasoning = u.Cached, u.Reasoning
	}
	return o
}

// makeOptional returns nil for a zero value.
func makeOptional[T comparable](v T) *T {
	var none T
	if v == none {
		return nil
	}
	return &v
}

// list is a page of files or batches.
type list[T any] struct {
	Object  string  `json:"object"`
	Data    []T     `json:"data"`
	FirstID *string `json:"first_id"`
	LastID  *string `json:"last_id"`
	HasMore bool    `json:"has_more"`
}

// isFinal reports whether a batch has ended.
func isFinal(status string) bool {
	switch status {
	case backend.Failed, backend.Completed, backend.Expired, backend.Cancelled:
		return true
	}
	return false
}
