package outbox_test

import (
	"context"
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

func TestNodesShareAnOutboxAndSendEachDeliveryOnce(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c, db, r := openSubscribed(t, url, nil)
		for range 3 {
			dispatch(t, open(t, url, c.Now), c)
		}
		emit(t, db, outbox.PolicyDenial, "", 200)
		ends(t, db, store.DeliveryDelivered, 200)
		seen := map[string]int{}
		for _, e := range r.events() {
			seen[e.Delivery]++
		}
		assert.Len(t, seen, 200)
		assert.Len(t, r.events(), 200, "and no delivery twice")
	})
}

func TestWhatANodeHadLeasedIsTakenOverWhenTheLeaseIsOver(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c, db, r := openSubscribed(t, url, nil)
		emit(t, db, outbox.PolicyDenial, "", 3)
		_, taken, err := db.Outbox().Lease(context.Background(), "w", "a node that dies", c.Now().Add(time.Minute), 2)
		require.NoError(t, err)
		require.Len(t, taken, 2)
		d, _ := dispatch(t, db, c)
		ends(t, db, store.DeliveryDelivered, 1)
		assert.Equal(t, 1, r.countCalls(), "the others are not this node's yet")
		c.add(time.Minute)
		d.Wake()
		for _, x := range ends(t, db, store.DeliveryDelivered, 3) {
			assert.Equal(t, store.DeliveryDelivered, x.State)
		}
		// The node that seemed dead reports that its call failed, but it no longer holds the lease.
		require.NoError(t, db.Outbox().SaveResults(context.Background(), []store.DeliveryResult{{
			ID: taken[0].ID, Lease: "a node that dies", Attempt: 1, State: store.DeliveryDead, Error: "late", At: c.Now(),
		}}))
		assert.Empty(t, deliveries(t, db, store.DeliveryDead))
	})
}

func TestANodeThatEndsGivesItsDeliveriesBack(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c := newClock()
		db := open(t, url, c.Now)
		var once sync.Once
		called := make(chan struct{})
		hang := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, q *http.Request) {
			_, _ = io.Copy(io.Discard, q.Body) // until then the server does not notice that the caller has left
			once.Do(func() { close(called) })
			<-q.Context().Done()
		}))
		defer hang.Close()
		subscribe(t, db, "w", "", hang.URL, outbox.PolicyDenial)
		emit(t, db, outbox.PolicyDenial, "", 1)
		_, stop := dispatch(t, db, c)
		<-called
		stop()
		due, err := db.Outbox().CountDue(context.Background())
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"w": 1}, due, "the next node has it at once")
	})
}

func TestADeletedSubscriptionTakesItsDeliveriesAlong(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c, db, r := openSubscribed(t, url, func(int) int { return http.StatusInternalServerError })
		emit(t, db, outbox.PolicyDenial, "", 5)
		dispatch(t, db, c)
		require.Eventually(t, func() bool { return r.countCalls() > 0 }, 30*time.Second, time.Millisecond)
		require.NoError(t, db.Webhooks().Delete(context.Background(), "w", nil))
		assert.Empty(t, deliveries(t, db, ""))
		require.ErrorIs(t, db.Webhooks().Delete(context.Background(), "w", nil), store.ErrNotFound)
	})
}

func TestTheLogForgetsWhatIsOld(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c, db, _ := openSubscribed(t, url, nil)
		emit(t, db, outbox.PolicyDenial, "", 3)
		_, stop := dispatch(t, db, c)
		ends(t, db, store.DeliveryDelivered, 3)
		stop()
		ctx := context.Background()
		n, err := db.Outbox().Prune(ctx, c.Now().Add(-time.Hour), c.Now().Add(-time.Hour), 100)
		require.NoError(t, err)
		assert.Zero(t, n)
		n, err = db.Outbox().Prune(ctx, c.Now().Add(time.Hour), c.Now(), 2)
		require.NoError(t, err)
		assert.Equal(t, 2, n, "at most as many as it may")
		assert.Len(t, deliveries(t, db, ""), 1)
	})
}
