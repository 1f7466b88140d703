package store

import (
	"context"
	"fmt"
	"strconv"
)

// givenBack is how many free pages one transaction releases, 4 MiB, because traffic waits for it.
const givenBack = 4 << 20 / pageSize

// ReleaseFreeSpace returns some of the free space in the SQLite file to the file system, and reports whether more is
// left. A quarter of the file may stay free for reuse. Files created before version 0.2 keep their size. PostgreSQL's
// VACUUM is left to the server.
func (db *DB) ReleaseFreeSpace(ctx context.Context) (more bool, err error) {
	if db.path == "" {
		return false, nil
	}
	var mode, pages, free int64
	for name, into := range map[string]*int64{"auto_vacuum": &mode, "page_count": &pages, "freelist_count": &free} {
		if err := db.read.GetContext(ctx, into, "PRAGMA "+name); err != nil {
			return false, fmt.Errorf("give space back: %w", mapDriverError(err))
		}
	}
	const incremental = 2
	if mode != incremental || free <= pages/4 {
		return false, nil
	}
	release, err := db.acquireWriter(ctx)
	if err != nil {
		return false, err
	}
	defer release()
	if err := db.checkFile(); err != nil {
		return false, err
	}
	// Each step of this statement frees one page, so read it to its end.
	rows, err := db.write.QueryContext(ctx, "PRAGMA incremental_vacuum("+strconv.Itoa(givenBack)+")")
	if err != nil {
		return false, fmt.Errorf("give space back: %w", mapDriverError(err))
	}
	for rows.Next() {
	}
	if err := rows.Close(); err != nil {
		return false, fmt.Errorf("give space back: %w", mapDriverError(err))
	}
	return free-givenBack > pages/4, nil
}
