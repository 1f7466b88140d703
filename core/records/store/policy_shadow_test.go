package store

import (
	"context"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

// An event that is being inserted while its policy leaves shadow mode is either refused or deleted with the others.
func TestNoShadowEventOutlivesItsModeOnPostgreSQL(t *testing.T) {
	ctx := t.Context()
	db := openURL(t, pgtest.CreateSharedDatabase(t))
	p, err := db.Policies().Insert(ctx, policydoc.Record{ID: "p", Name: "p", DSL: "x", Status: "SHADOW", Source: SourceAPI})
	require.NoError(t, err)
	promoted := make(chan error, 1)
	err = db.transact(ctx, func(tx *Tx) error {
		rows := buildShadowRows([]policydoc.ShadowEvent{{Policy: "p", Tenant: "t", At: time.Now()}})
		if err := tx.insertShadow(ctx, time.Now(), rows); err != nil {
			return err
		}
		go func() { promoted <- promote(context.WithoutCancel(ctx), db, p.ID) }()
		require.Eventually(t, func() bool {
			var waiting int
			return len(promoted) > 0 || db.read.Get(&waiting, "SELECT count(*) FROM pg_stat_activity WHERE datname = current_database() AND wait_event_type = 'Lock'") == nil && waiting > 0
		}, time.Minute, 10*time.Millisecond, "the change neither waits nor ends")
		return nil
	})
	require.NoError(t, err)
	require.NoError(t, <-promoted)
	for _, diverged := range []bool{false, true} {
		list, err := db.ShadowEvents().List(ctx, "p", "", diverged, 10)
		require.NoError(t, err)
		assert.Empty(t, list)
	}
}

// promote makes a policy active and deletes its shadow events, as the service of policies does.
func promote(ctx context.Context, db *DB, id string) error {
	_, err := db.Policies().Change(ctx, id, func(p *policydoc.Record) error { p.Status = "ACTIVE"; return nil })
	if err != nil {
		return err
	}
	return db.ShadowEvents().Delete(ctx, id)
}
