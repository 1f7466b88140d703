package store

import "time"

// Cursor is a place in a list that is in the order of creation: behind the record that was created at At and has the ID, whether or
// not that record still exists. The zero Cursor is the start of the list.
type Cursor struct {
	At time.Time
	ID string
}

// pageRows is how many records of a list are in memory at a time.
const pageRows = 500

// stamp is the time of a change, as precise as it is stored.
func (db *DB) stamp() time.Time { return db.now().UTC().Truncate(time.Microsecond) }

// later is the time of a change to a record that was last changed at before. It rises whatever the clock does, so that no two states
// of a record have the same time.
func (db *DB) later(before time.Time) time.Time {
	now := db.stamp()
	if !now.After(before) {
		now = before.Add(time.Microsecond)
	}
	return now
}
