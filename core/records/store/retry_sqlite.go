package store

import (
	"context"
	"errors"
	"time"

	sqlite3 "github.com/mattn/go-sqlite3"
)

// retryPause is the time between two tries of retryWhileBusy. Creating an empty database takes a few milliseconds.
const retryPause = 10 * time.Millisecond

// retryWhileBusy calls fn until it no longer fails because another process holds the database. It begins no further try
// once busyTimeout has passed or ctx has ended; fn may itself wait as long for a lock, and opening a connection does not
// look at ctx. SQLite waits by itself for a statement's lock, but not where two processes that wait for each other could
// hang: both create the database, or both turn its write-ahead log on. There it fails at once.
func retryWhileBusy(ctx context.Context, fn func() error) error {
	end := time.Now().Add(busyTimeout * time.Millisecond)
	for {
		err := fn()
		if !isBusy(err) || time.Now().After(end) {
			return err
		}
		select {
		case <-ctx.Done():
			return err
		case <-time.After(retryPause):
		}
	}
}

// isBusy reports whether another process or connection held a lock that a SQLite statement needed.
func isBusy(err error) bool {
	var e sqlite3.Error
	return errors.As(err, &e) && (e.Code == sqlite3.ErrBusy || e.Code == sqlite3.ErrLocked)
}
