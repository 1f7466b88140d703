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
	// Upload stores a file of requests and gives its id.
	Upload(ctx context.Context, f *Upload) (id string, err *core.Error)
	// Content reads a file. Where it was cut off, Read fails with anything but
	// io.EOF.
	Content(ctx context.Context, id string) (io.ReadCloser, *core.Error)
	// Delete deletes a file.
	Delete(ctx context.Context, id string) *core.Error
	// Create starts a batch.
	Create(ctx context.Context, o *Order) (*State, *core.Error)
	// Get asks how far a batch is.
	Get(ctx context.Context, id string) (*State, *core.Error)
	// Cancel asks for a batch to be stopped.
	Cancel(ctx context.Context, id string) (*State, *core.Error)
}

// Local is a BatchBackend in this process. What it is given does not leave
// the gateway, so it gets files as they were uploaded; and it forgets.
type Local interface {
	Backend
	// Holds reports whether the file or batch is still there.
	Holds(id string) bool
}

// Upload is a file on its way to a provider.
type Upload struct {
	Name    string        // a name that tells nothing of the client's
	Expires time.Duration // how long the provider is to keep it; 0: as long as it likes
	// File holds the requests from Start to End. It is temporary: what lies before
	// Start and behind End is the backend's, for what its protocol puts around the
	// file. Start is at least BatchRoom.
	File       *os.File
	Start, End int64
}

// Room is how much room a BatchUpload has before its content, in bytes.
const Room = 1 << 10

// Order asks for a batch.
type Order struct {
	File     string        // the provider's id of the uploaded file
	Endpoint string        // the URL that all its requests have
	Window   string        // "24h"
	Expires  time.Duration // how long the provider is to keep the results; 0: as long as it likes
}

// State is how far a provider has come with a batch. Times are seconds since
// 1970, 0 for none.
type State struct {
	ID                                                                                                 string
	Status                                                                                             string
	OutputFile, ErrorFile                                                                              string // ids; "": none yet
	Total, Completed, Failed                                                                           int64  // requests
	Errors                                                                                             []Error
	InProgressAt, ExpiresAt, FinalizingAt, CompletedAt, FailedAt, ExpiredAt, CancellingAt, CancelledAt int64
}

// Error is a fault that a provider has found in a batch's file.
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
