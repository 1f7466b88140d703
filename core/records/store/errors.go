package store

import "fmt"

// storeError is an error of this package that callers tell apart.
type storeError struct{ text string }

func (e *storeError) Error() string { return e.text }

// The errors callers tell apart with errors.Is.
var (
	// ErrBusy means that the queue of traffic records stayed full for the whole waiting time; the exchange that
	// wanted to be recorded must be refused, since nothing of it may go unrecorded.
	ErrBusy error = &storeError{"the queue of traffic records is full"}
	// ErrClosed means that the writer takes no more records.
	ErrClosed error = &storeError{"the writer is closed"}
	// ErrNotFound means that no record has the given id.
	ErrNotFound error = &storeError{"no such record"}
	// ErrExists means that a record with the same id, name or hash is there already.
	ErrExists error = &storeError{"the record exists already"}
	// ErrTooLarge means that one record alone is larger than the queue may ever be.
	ErrTooLarge error = &storeError{"the record is larger than the queue"}
	// ErrNoSealer means that an audit record came before anybody offered to seal it.
	ErrNoSealer error = &storeError{"no audit chain is open"}
	// ErrFull means that the database has no room for what was to be written. Nothing of it was written, reads go on,
	// and writes succeed again once there is room.
	ErrFull error = &storeError{"the database has no room left on its disk"}
	// ErrGone means that the file of SQLite was removed or replaced while it was open. Nothing is written to it any more.
	ErrGone error = &storeError{"the database file was removed or replaced while it was open; put it back, or stop and restore a backup"}
	// ErrCorrupt means that the file of SQLite is damaged.
	ErrCorrupt error = &storeError{"the database file is damaged; stop and restore a backup"}
	// ErrUnavailable means that the database cannot be reached, or is held by another process, at the moment. An
	// administrative write that ends with it may have been made all the same when the connection broke at its end.
	ErrUnavailable error = &storeError{"the database cannot be reached at the moment"}
	// ErrNewer means that a newer program has changed the schema in ways that this one does not know.
	ErrNewer error = &storeError{"the database belongs to a newer version of headgate: use that version"}
	// ErrBadText means that a text holds what the database cannot store: PostgreSQL takes UTF-8 without the byte 0.
	ErrBadText error = &storeError{"a text is not UTF-8 or holds the byte 0"}
)

var errOwnerMissing = fmt.Errorf("%w: the record it belongs to is missing", ErrNotFound)
