package outbox_test

import (
	"context"
	"fmt"
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
	adapter "github.com/headgate-dev/headgate/plugins/webhook"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

const secret = "0123456789abcdef0123456789abcdef"

// clock is a clock that stands until it is moved.
type clock struct {
	mu  sync.Mutex
	now time.Time
}

func newClock() *clock { return &clock{now: time.Date(2026, 1, 2, 3, 4, 5, 0, time.UTC)} }

func (c *clock) Now() time.Time {
	c.mu.Lock()
	defer c.mu.Unlock()
	return c.now
}

func (c *clock) add(d time.Duration) {
	c.mu.Lock()
	defer c.mu.Unlock()
	c.now = c.now.Add(d)
}

// open opens a database.
func open(t testing.TB, url string, now func() time.Time) *store.DB {
	return storetest.Open(t, url, store.WithClock(now))
}

// unsealed is a box that seals nothing.
type unsealed struct{}

func (unsealed) Open(sealed []byte, _ string) ([]byte, error) { return sealed, nil }

// sender is the real one, as the binary wires it.
type sender struct{ *adapter.Sender }

func (s sender) Send(ctx context.Context, c outbox.Call) (int, error) {
	return s.Sender.Send(ctx, adapter.Event(c))
}

// receiver is a subscriber on loopback that keeps what it hears.
type receiver struct {
	*httptest.Server
	mu    sync.Mutex
	heard []*webhook.Event
	fails func(n int) int // status of the n-th call; 0: it is taken
	calls int
}

func receives(t testing.TB, fails func(n int) int) *receiver {
	r := &receiver{fails: fails}
	v := &webhook.Verifier{Secrets: []string{secret}}
	h := webhook.EventHandler(v, func(_ context.Context, e *webhook.Event) error {
		r.mu.Lock()
		defer r.mu.Unlock()
		r.heard = append(r.heard, e)
		return nil
	})
	r.Server = httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, q *http.Request) {
		r.mu.Lock()
		r.calls++
		status := 0
		if r.fails != nil {
			status = r.fails(r.calls)
		}
		r.mu.Unlock()
		if status != 0 {
			w.WriteHeader(status)
			return
		}
		h.ServeHTTP(w, q)
	}))
	t.Cleanup(r.Close)
	return r
}

func (r *receiver) events() []*webhook.Event {
	r.mu.Lock()
	defer r.mu.Unlock()
	return append([]*webhook.Event(nil), r.heard...)
}

func (r *receiver) countCalls() int {
	r.mu.Lock()
	defer r.mu.Unlock()
	return r.calls
}

// subscribe stores a subscription to some types.
func subscribe(t testing.TB, db *store.DB, id, tenant, url string, types ...string) {
	_, err := db.Webhooks().Insert(context.Background(), store.Webhook{
		ID: id, Tenant: tenant, Name: id, URL: url, EventTypes: types, Enabled: true, Secrets: store.Secrets{Secret: []byte(secret)},
	})
	require.NoError(t, err)
}

// openSubscribed opens a database whose clock stands, with one subscription to denials. fails is that of receives.
func openSubscribed(t testing.TB, url string, fails func(n int) int) (*clock, *store.DB, *receiver) {
	c := newClock()
	db, r := open(t, url, c.Now), receives(t, fails)
	subscribe(t, db, "w", "", r.URL, outbox.PolicyDenial)
	return c, db, r
}

// dispatch runs a dispatcher until the test ends, or stop is called.
func dispatch(t testing.TB, db *store.DB, c *clock, change ...func(*outbox.Options)) (d *outbox.Dispatcher, stop func()) {
	s, err := adapter.NewSender(adapter.SenderOptions{AllowPrivate: true, Timeout: 20 * time.Second})
	require.NoError(t, err)
	o := outbox.Options{
		Store: db, Box: unsealed{}, Sender: sender{s}, Every: 5 * time.Millisecond, Now: c.Now, Chance: func() float64 { return 1 },
		OnError: func(err error) { t.Log(err) },
	}
	for _, f := range change {
		f(&o)
	}
	d = outbox.NewDispatcher(o)
	ctx, cancel := context.WithCancel(context.Background())
	done := make(chan struct{})
	go func() { defer close(done); d.Run(ctx) }()
	stop = sync.OnceFunc(func() { cancel(); <-done; s.Close() })
	t.Cleanup(stop)
	return d, stop
}

func emit(t testing.TB, db *store.DB, typ, tenant string, n int) {
	events := make([]store.WebhookEvent, n)
	for i := range events {
		events[i] = store.WebhookEvent{Type: typ, Tenant: tenant, Data: fmt.Sprintf(`{"n":%d}`, i)}
	}
	require.NoError(t, db.Outbox().InsertEvents(context.Background(), events))
}

func deliveries(t testing.TB, db *store.DB, state string) []store.Delivery {
	list, err := db.Outbox().List(context.Background(), store.DeliveryFilter{State: state, Limit: 1000})
	require.NoError(t, err)
	return list
}

// ends waits until so many deliveries have come to a state.
func ends(t testing.TB, db *store.DB, state string, n int) []store.Delivery {
	require.Eventually(t, func() bool { return len(deliveries(t, db, state)) == n }, 15*time.Second, 5*time.Millisecond, state)
	return deliveries(t, db, state)
}

func TestAnEventReachesThoseWhoHaveSubscribedToItAndNobodyElse(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c := newClock()
		db := open(t, url, c.Now)
		all, own, other, off, kind := receives(t, nil), receives(t, nil), receives(t, nil), receives(t, nil), receives(t, nil)
		subscribe(t, db, "all", "", all.URL, outbox.PolicyDenial, outbox.PIIDetected)
		subscribe(t, db, "own", "acme", own.URL, outbox.PolicyDenial)
		subscribe(t, db, "other", "globex", other.URL, outbox.PolicyDenial)
		subscribe(t, db, "off", "", off.URL, outbox.PolicyDenial)
		subscribe(t, db, "kind", "acme", kind.URL, outbox.BudgetExceeded)
		_, err := db.Webhooks().Change(context.Background(), "off", func(w *store.Webhook) error { w.Enabled = false; return nil })
		require.NoError(t, err)
		dispatch(t, db, c)
		emit(t, db, outbox.PolicyDenial, "acme", 1)
		ends(t, db, store.DeliveryDelivered, 2)
		require.Len(t, all.events(), 1)
		require.Len(t, own.events(), 1)
		e, f := all.events()[0], own.events()[0]
		assert.Equal(t, e.ID, f.ID, "one event")
		assert.NotEqual(t, e.Delivery, f.Delivery, "a delivery for each")
		assert.Equal(t, outbox.PolicyDenial, e.Type)
		assert.Equal(t, "acme", e.Tenant)
		assert.JSONEq(t, `{"n":0}`, string(e.Data))
		assert.Equal(t, c.Now(), e.At)
		assert.Zero(t, other.countCalls()+off.countCalls()+kind.countCalls())
	})
}

func TestWhatFailsIsTriedAgainEverLaterAndThenGivenUp(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c, db, r := openSubscribed(t, url, func(int) int { return http.StatusBadGateway })
		d, _ := dispatch(t, db, c, func(o *outbox.Options) {
			o.Backoff = outbox.Backoff{First: time.Minute, Most: 3 * time.Minute, Attempts: 4}
		})
		emit(t, db, outbox.PolicyDenial, "", 1)
		began := c.Now()
		for i, pause := range []time.Duration{time.Minute, 2 * time.Minute, 3 * time.Minute} {
			require.Eventually(t, func() bool {
				list := deliveries(t, db, store.DeliveryPending)
				return len(list) == 1 && len(list[0].Calls) == i+1 && list[0].Due.Equal(c.Now().Add(pause))
			}, 15*time.Second, 5*time.Millisecond)
			assert.Equal(t, i+1, r.countCalls())
			c.add(pause)
		}
		dead := ends(t, db, store.DeliveryDead, 1)[0]
		require.Len(t, dead.Calls, 4)
		for i, call := range dead.Calls {
			assert.Equal(t, i+1, call.Attempt)
			assert.Equal(t, http.StatusBadGateway, call.Status)
			assert.Equal(t, "the receiver answered with status 502", call.Error)
		}
		assert.Equal(t, began, dead.Calls[0].At)

		r.mu.Lock()
		r.fails = nil
		r.mu.Unlock()
		c.add(100 * time.Hour) // it is as old as a delivery may never be, and is given a new life
		require.NoError(t, db.Outbox().Redeliver(context.Background(), dead.ID, nil))
		d.Wake()
		again := ends(t, db, store.DeliveryDelivered, 1)[0]
		assert.Equal(t, dead.ID, again.ID)
		assert.Len(t, again.Calls, 5)
		assert.Equal(t, dead.ID, r.events()[0].Delivery)
		require.ErrorIs(t, db.Outbox().Redeliver(context.Background(), "nobody's", nil), store.ErrNotFound)
	})
}

func TestADeliveryIsGivenUpByItsAge(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c, db, r := openSubscribed(t, url, func(int) int { return http.StatusInternalServerError })
		dispatch(t, db, c, func(o *outbox.Options) {
			o.Backoff = outbox.Backoff{First: time.Hour, Most: time.Hour, Attempts: 1000, Age: 90 * time.Minute}
		})
		emit(t, db, outbox.PolicyDenial, "", 1)
		require.Eventually(
			t,
			func() bool { return r.countCalls() == 1 && len(deliveries(t, db, "")[0].Calls) == 1 },
			15*time.Second,
			5*time.Millisecond,
		)
		c.add(time.Hour)
		ends(t, db, store.DeliveryDead, 1)
		assert.Equal(t, 2, r.countCalls())
	})
}

func TestASubscriberThatIsGoneIsNotAskedAgain(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c, db, r := openSubscribed(t, url, func(int) int { return http.StatusGone })
		dispatch(t, db, c)
		emit(t, db, outbox.PolicyDenial, "", 1)
		ends(t, db, store.DeliveryDead, 1)
		assert.Equal(t, 1, r.countCalls())
	})
}

func TestARedirectIsNotFollowed(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c := newClock()
		db := open(t, url, c.Now)
		inside := receives(t, nil)
		r := httptest.NewServer(http.RedirectHandler(inside.URL, http.StatusTemporaryRedirect))
		defer r.Close()
		subscribe(t, db, "w", "", r.URL, outbox.PolicyDenial)
		dispatch(t, db, c, func(o *outbox.Options) { o.Backoff.Attempts = 1 })
		emit(t, db, outbox.PolicyDenial, "", 1)
		call := ends(t, db, store.DeliveryDead, 1)[0].Calls[0]
		assert.Equal(t, http.StatusTemporaryRedirect, call.Status)
		assert.Contains(t, call.Error, "redirects are not followed")
		assert.Zero(t, inside.countCalls())
	})
}

func TestAPrivateAddressIsCalledOnlyWhereTheOperatorAllowsIt(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c, db, r := openSubscribed(t, url, nil)
		dispatch(t, db, c, func(o *outbox.Options) {
			s, err := adapter.NewSender(adapter.SenderOptions{})
			require.NoError(t, err)
			o.Sender, o.Backoff.Attempts = sender{s}, 1
		})
		emit(t, db, outbox.PolicyDenial, "", 1)
		call := ends(t, db, store.DeliveryDead, 1)[0].Calls[0]
		assert.Zero(t, call.Status)
		assert.NotContains(t, call.Error, "127.0.0.1", "an error holds no address")
		assert.Zero(t, r.countCalls())
	})
}

func TestASlowSubscriberHoldsUpNobodyElse(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		c := newClock()
		db := open(t, url, c.Now)
		free := make(chan struct{})
		slow := httptest.NewServer(http.HandlerFunc(func(http.ResponseWriter, *http.Request) { <-free }))
		defer slow.Close()
		defer close(free)
		fast := receives(t, nil)
		subscribe(t, db, "slow", "", slow.URL, outbox.PolicyDenial)
		subscribe(t, db, "fast", "", fast.URL, outbox.PolicyDenial)
		dispatch(t, db, c)
		emit(t, db, outbox.PolicyDenial, "", 50)
		ends(t, db, store.DeliveryDelivered, 50)
		assert.Len(t, fast.events(), 50)
		due, err := db.Outbox().CountDue(context.Background())
		require.NoError(t, err)
		assert.Equal(t, map[string]int{"slow": 46}, due, "four calls are under way, and no more")
	})
}
