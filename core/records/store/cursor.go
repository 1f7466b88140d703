package store

import "time"

// Cursor is a place in a list ordered by creation: behind the record that was created at At with the id ID, whether or
// not it still exists. The zero Cursor is the start of the list.
type Cursor struct {
	At time.Time
	ID string
}

// pageRows is how many records of a list are held in memory.
const pageRows = 500

// readClock returns the time of a change in the precision that is stored.
func (db *DB) readClock() time.Time { return db.now().UTC().Truncate(time.Microsecond) }

// chooseLaterTime returns the time of a change to a record last changed at before. It always increases, even if the clock goes
// back, so that no two states of a record have the same time.
func (db *DB) chooseLaterTime(before time.Time) time.Time {
	now := db.readClock()
	if !now.After(before) {
		now = before.Add(time.Microsecond)
	}
	return now
}
