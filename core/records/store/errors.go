package store

import "fmt"

// storeError is an error that callers can distinguish.
type storeError struct{ text string }

func (e *storeError) Error() string { return e.text }

// Errors for errors.Is.
var (
	// ErrBusy means that the queue of traffic records stayed full for the whole timeout. The exchange must be refused,
	// because nothing may go unrecorded.
	ErrBusy error = &storeError{"the queue of traffic records is full"}
	// ErrClosed means that the writer accepts no more records.
	ErrClosed error = &storeError{"the writer is closed"}
	// ErrNotFound means that no record has the given id.
	ErrNotFound error = &storeError{"no such record"}
	// ErrExists means that a record with the same id, name or hash exists.
	ErrExists error = &storeError{"the record already exists"}
	// ErrTooLarge means that a single record exceeds the maximum size of the queue.
	ErrTooLarge error = &storeError{"the record is larger than the queue"}
	// ErrNoSealer means that an audit record was appended before SetSealer was called.
	ErrNoSealer error = &storeError{"no audit chain is open"}
	// ErrFull means that the database has no room. Nothing was written, reads still work, and writes succeed again once
	// there is room.
	ErrFull error = &storeError{"the database has no room left on its disk"}
	// ErrGone means that the SQLite file was removed or replaced while it was open. Nothing more is written to it.
	ErrGone error = &storeError{"the database file was removed or replaced while it was open; put it back, or stop and restore a backup"}
	// ErrCorrupt means that the SQLite file is damaged.
	ErrCorrupt error = &storeError{"the database file is damaged; stop and restore a backup"}
	// ErrUnavailable means that the database is unreachable or locked by another process. If the connection broke at
	// the end of an administrative write, the write may nevertheless have been committed.
	ErrUnavailable error = &storeError{"the database cannot be reached at the moment"}
	// ErrNewer means that a newer program has migrated the schema beyond what this one knows.
	ErrNewer error = &storeError{"the database belongs to a newer version of headgate: use that version"}
	// ErrBadText means that a text cannot be stored: PostgreSQL requires UTF-8 without the byte 0.
	ErrBadText error = &storeError{"a text is not UTF-8 or holds the byte 0"}
)

var errOwnerMissing = fmt.Errorf("%w: the record it belongs to is missing", ErrNotFound)
