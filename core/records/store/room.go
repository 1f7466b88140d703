package store

import (
	"context"
	"fmt"
	"strconv"
)

// limitSize sets the maximum size of the file.
func (db *DB) limitSize(ctx context.Context) error {
	if db.room <= 0 {
		return nil
	}
	var size int64
	if err := db.write.GetContext(ctx, &size, "PRAGMA page_size"); err != nil {
		return err
	}
	_, err := db.write.ExecContext(ctx, "PRAGMA max_page_count="+strconv.FormatInt(max(db.room/size, 1), 10))
	return err
}

// MeasureUsedRoom returns how much of the room is used, from 0 to 1; 0 without WithRoom.
func (db *DB) MeasureUsedRoom(ctx context.Context) (float64, error) {
	if db.room <= 0 || db.postgres {
		return 0, nil
	}
	var size, pages, free int64
	for name, into := range map[string]*int64{"page_size": &size, "page_count": &pages, "freelist_count": &free} {
		if err := db.read.GetContext(ctx, into, "PRAGMA "+name); err != nil {
			return 0, fmt.Errorf("read the size of the database: %w", err)
		}
	}
	return float64((pages-free)*size) / float64(db.room), nil
}
