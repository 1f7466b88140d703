package outbox_test

import (
	"context"
	"database/sql"
	"testing"
	"time"

	_ "github.com/jackc/pgx/v5/stdlib"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// Two nodes that wait for each other's rows are a deadlock, of which PostgreSQL ends one with an error.
func TestANodeWaitsForNoDeliveryThatAnotherOneIsSettling(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // a wait for the lock ends in a failure
	defer cancel()
	url := storetest.CreatePostgres(t)
	c, db, _ := openSubscribed(t, url, nil)
	emit(t, db, outbox.PolicyDenial, "", 3)
	all := deliveries(t, db, store.DeliveryPending)
	require.Len(t, all, 3)

	tx, _ := lockDelivery(t, url, all[0].ID)
	_, taken, err := db.Outbox().Lease(ctx, "w", "a node", c.Now().Add(time.Minute), 3)
	require.NoError(t, err)
	assert.Len(t, taken, 2, "without the one that is locked")
	require.NoError(t, tx.Rollback())
	_, taken, err = db.Outbox().Lease(ctx, "w", "a node", c.Now().Add(time.Minute), 3)
	require.NoError(t, err)
	require.Len(t, taken, 1)
	assert.Equal(t, all[0].ID, taken[0].ID)
}

func TestResultsAreSettledInTheOrderOfTheirIDs(t *testing.T) {
	ctx, cancel := context.WithTimeout(context.Background(), 2*time.Minute) // a wait for the lock ends in a failure
	defer cancel()
	url := storetest.CreatePostgres(t)
	c, db, _ := openSubscribed(t, url, nil)
	emit(t, db, outbox.PolicyDenial, "", 2)
	_, taken, err := db.Outbox().Lease(ctx, "w", "a node", c.Now().Add(time.Minute), 2)
	require.NoError(t, err)
	require.Len(t, taken, 2)
	first, second := min(taken[0].ID, taken[1].ID), max(taken[0].ID, taken[1].ID)

	tx, other := lockDelivery(t, url, first)
	settled := make(chan error, 1)
	go func() {
		settled <- db.Outbox().SaveResults(ctx, []store.DeliveryResult{
			{ID: second, Lease: "a node", Attempt: 1, State: store.DeliveryDelivered, At: c.Now()},
			{ID: first, Lease: "a node", Attempt: 1, State: store.DeliveryDelivered, At: c.Now()},
		})
	}()
	require.Eventually(t, func() bool {
		var waiting int
		require.NoError(t, other.QueryRowContext(ctx, "SELECT count(*) FROM pg_stat_activity WHERE wait_event_type = 'Lock' "+
			"AND datname = current_database()").Scan(&waiting))
		return waiting > 0
	}, time.Minute, 10*time.Millisecond)
	_, err = tx.ExecContext(ctx, "SELECT id FROM webhook_delivery WHERE id = $1 FOR UPDATE NOWAIT", second)
	require.NoError(t, err, "the other delivery is not locked yet")
	require.NoError(t, tx.Rollback())
	require.NoError(t, <-settled)
	assert.Len(t, deliveries(t, db, store.DeliveryDelivered), 2)
}

// lockDelivery returns a transaction of another node that holds the lock of a delivery, and that node's database. The
// activity of a server is read outside of the transaction, which sees one state of it.
func lockDelivery(t *testing.T, url, id string) (*sql.Tx, *sql.DB) {
	t.Helper()
	other, err := sql.Open("pgx", url)
	require.NoError(t, err)
	t.Cleanup(func() { assert.NoError(t, other.Close()) })
	tx, err := other.BeginTx(context.Background(), nil)
	require.NoError(t, err)
	_, err = tx.ExecContext(context.Background(), "SELECT id FROM webhook_delivery WHERE id = $1 FOR UPDATE", id)
	require.NoError(t, err)
	return tx, other
}
