package store

import "errors"

// The errors callers tell apart with errors.Is.
var (
	// ErrBusy means that the queue of traffic records stayed full for the whole waiting time; the exchange that
	// wanted to be recorded must be refused, since nothing of it may go unrecorded.
	ErrBusy = errors.New("the queue of traffic records is full")
	// ErrClosed means that the writer takes no more records.
	ErrClosed = errors.New("the writer is closed")
	// ErrNotFound means that no record has the given id.
	ErrNotFound = errors.New("no such record")
	// ErrExists means that a record with the same id, name or hash is there already.
	ErrExists = errors.New("the record exists already")
	// ErrTooLarge means that one record alone is larger than the queue may ever be.
	ErrTooLarge = errors.New("the record is larger than the queue")
	// ErrNoSealer means that an audit record came before anybody offered to seal it.
	ErrNoSealer = errors.New("no audit chain is open")
)
