package backend

import (
	"context"
	"io"
	"os"
	"time"

	"github.com/headgate-dev/headgate/core"
)

// Backend is a provider's service for files and batches. Its ids are the
// provider's own; clients never see them. A file or batch that the provider does
// not know is an Error of the Kind NotFound. Its methods may be called from many
// goroutines.
type Backend interface {
	// Upload stores a file of requests and returns its id.
	Upload(ctx context.Context, f *Upload) (id string, err *core.Error)
	// OpenContent opens a file. If the file is truncated, Read fails with an error other than io.EOF.
	OpenContent(ctx context.Context, id string) (io.ReadCloser, *core.Error)
	// Delete deletes a file.
	Delete(ctx context.Context, id string) *core.Error
	// Create starts a batch.
	Create(ctx context.Context, o *Order) (*State, *core.Error)
	// Get returns the progress of a batch.
	Get(ctx context.Context, id string) (*State, *core.Error)
	// Cancel asks for a batch to be stopped.
	Cancel(ctx context.Context, id string) (*State, *core.Error)
}

// Local is a Backend in this process. Its files do not leave the gateway, so it receives them as uploaded. It loses
// them at a restart.
type Local interface {
	Backend
	// Holds reports whether the file or batch is still there.
	Holds(id string) bool
}

// Upload is a file on its way to a provider.
type Upload struct {
	Name    string        // a name without text of the client
	Expires time.Duration // how long the provider should keep it; 0: as long as it likes
	// File holds the requests from Start to End. It is temporary: the backend may overwrite the bytes before Start and
	// after End with what its protocol puts around the file. Start is at least Room.
	File       *os.File
	Start, End int64
}

// Room is the number of free bytes before the content of an Upload.
const Room = 1 << 10

// Order asks for a batch.
type Order struct {
	File     string        // the provider's id of the uploaded file
	Endpoint string        // the URL that all its requests have
	Window   string        // "24h"
	Expires  time.Duration // how long the provider should keep the results; 0: as long as it likes
}

// State is the progress of a batch at its provider. Times are seconds since 1970, 0 for none.
type State struct {
	ID, Status            string
	OutputFile, ErrorFile string // ids; empty until the files exist

	Total, Completed, Failed int64 // requests
	Errors                   []Error

	InProgressAt, ExpiresAt, FinalizingAt, CompletedAt int64
	FailedAt, ExpiredAt, CancellingAt, CancelledAt     int64
}

// Error is an error that a provider has found in a batch's file.
type Error struct {
	Code    string  `json:"code,omitempty"`
	Message string  `json:"message,omitempty"`
	Param   *string `json:"param"`
	Line    *int64  `json:"line"`
}

// States of a batch.
const (
	Validating = "validating"
	Failed     = "failed"
	InProgress = "in_progress"
	Finalizing = "finalizing"
	Completed  = "completed"
	Expired    = "expired"
	Cancelling = "cancelling"
	Cancelled  = "cancelled"
)
