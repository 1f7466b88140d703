package outbox

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/records/store"
)

// FormatSecretContext returns the context that a subscription's secret is sealed with.
func FormatSecretContext(id string) string { return "webhook " + id }

// deliver makes one call and returns its result.
func (d *Dispatcher) deliver(ctx context.Context, w *store.Webhook, l *store.LeasedDelivery) store.DeliveryResult {
	r := store.DeliveryResult{ID: l.ID, Webhook: w.ID, Lease: d.node, Attempt: l.Attempt, At: d.o.Now()}
	status, err := d.send(ctx, w, l)
	end := d.o.Now()
	r.Status, r.Duration = status, end.Sub(r.At)
	if err == nil {
		r.State = store.DeliveryDelivered
		return r
	}
	r.Error, r.State, r.Due = err.Error(), store.DeliveryPending, end
	if ctx.Err() != nil { // the node is stopping; the call may have succeeded and will be repeated
		r.Error, r.Unsent = "the node ended during the call", true
		return r
	}
	var again bool
	if r.Due, again = d.o.Backoff.scheduleNext(l.Queued, end, l.Failures+1, d.o.Chance()); !again || status == http.StatusGone {
		r.State = store.DeliveryDead
	}
	return r
}

func (d *Dispatcher) send(ctx context.Context, w *store.Webhook, l *store.LeasedDelivery) (int, error) {
	c, err := buildCall(d.o.Box, w, d.o.Now(), l.ID, &l.Event)
	if err != nil {
		return 0, err
	}
	c.Attempt = l.Attempt
	ctx, cancel := context.WithTimeout(ctx, d.o.Timeout)
	defer cancel()
	return d.o.Sender.Send(ctx, c)
}
