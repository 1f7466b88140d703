package store

import (
	"context"
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestChangesTellWhatEachVersionIsAbout(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		start := version(t, db)
		changes := func(since int64) ([]Change, bool) {
			list, complete, err := db.Config().ListChanges(ctx, since)
			require.NoError(t, err)
			return list, complete
		}
		list, complete := changes(start)
		assert.Empty(t, list)
		assert.True(t, complete, "nothing has changed")

		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "b", Status: "active"}))
		require.NoError(t, db.mutate(ctx, func(tx *Tx) (bool, error) {
			tx.noteChange("route", "r2")
			tx.noteChange("route", "r1")
			tx.noteChange("route", "r2")
			return true, nil
		}))
		list, complete = changes(start)
		want := []Change{{start + 1, "tenant", "b"}, {start + 2, "route", "r1"}, {start + 2, "route", "r2"}}
		assert.Equal(t, want, list)
		assert.True(t, complete)
		list, complete = changes(start + 1)
		assert.Equal(t, want[1:], list)
		assert.True(t, complete)

		refused := errors.New("refused")
		require.ErrorIs(t, db.mutate(ctx, func(tx *Tx) (bool, error) {
			tx.noteChange("route", "r3")
			return true, refused
		}), refused)
		require.NoError(t, db.mutate(ctx, func(tx *Tx) (bool, error) {
			tx.noteChange("route", "r3")
			return false, nil
		}))
		list, complete = changes(start + 2)
		assert.Empty(t, list, "what was not done has not changed anything")
		assert.True(t, complete)
		_, complete = changes(start + 5)
		assert.False(t, complete, "a version that has not been")

		require.NoError(t, db.Config().Advance(ctx, "", ""))
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "c", Status: "active"}))
		_, complete = changes(start)
		assert.False(t, complete, "one change said not what it is about")
		_, complete = changes(start + 3)
		assert.True(t, complete)
	})
}

func TestTheLogOfChangesIsBounded(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		start := version(t, db)
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "a", Status: "active"}))
		_, err := db.write.Exec(fmt.Sprint("UPDATE config_version SET version = version + ", changesKept-1))
		require.NoError(t, err)
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "b", Status: "active"}))
		assert.Equal(t, 1, count(t, db, "config_change"))
		_, complete, err := db.Config().ListChanges(ctx, start)
		require.NoError(t, err)
		assert.False(t, complete, "the log does not reach back so far")

		now := version(t, db)
		require.NoError(t, db.mutate(ctx, func(tx *Tx) (bool, error) {
			for i := range 3 * changesKept {
				tx.noteChange("key", fmt.Sprint(i))
			}
			return true, nil
		}))
		assert.Equal(t, 1, count(t, db, "config_change"))
		_, complete, err = db.Config().ListChanges(ctx, now)
		require.NoError(t, err)
		assert.False(t, complete, "too much has changed to be listed")
	})
}
