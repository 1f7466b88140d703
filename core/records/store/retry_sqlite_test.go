package store

import (
	"context"
	"errors"
	"testing"

	sqlite3 "github.com/mattn/go-sqlite3"
	"github.com/stretchr/testify/assert"
)

func TestABusyDatabaseIsTriedAgain(t *testing.T) {
	busy, other := sqlite3.Error{Code: sqlite3.ErrBusy}, errors.New("no such table")
	for name, c := range map[string]struct {
		errs  []error // of each call in turn
		want  error
		calls int
	}{
		"it is free at once":             {[]error{nil}, nil, 1},
		"it is free at the third try":    {[]error{busy, sqlite3.Error{Code: sqlite3.ErrLocked}, nil}, nil, 3},
		"another fault ends the tries":   {[]error{busy, other}, other, 2},
		"another fault at the first try": {[]error{other}, other, 1},
	} {
		t.Run(name, func(t *testing.T) {
			calls := 0
			err := retryWhileBusy(t.Context(), func() error { calls++; return c.errs[calls-1] })
			assert.Equal(t, c.want, err)
			assert.Equal(t, c.calls, calls)
		})
	}
}

func TestTheTriesEndWithTheContext(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	busy, calls := sqlite3.Error{Code: sqlite3.ErrBusy}, 0
	err := retryWhileBusy(ctx, func() error {
		if calls++; calls == 2 {
			cancel()
		}
		return busy
	})
	assert.Equal(t, busy, err)
	assert.LessOrEqual(t, calls, 3)
}
