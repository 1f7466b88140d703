package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// maxDeliveries limits a list of deliveries to the newest ones.
const maxDeliveries = 1000

// SendTest sends a signed test event and returns the result without the body of the answer.
func (s Webhooks) SendTest(ctx context.Context, who *auth.Actor, id string) (WebhookTest, error) {
	w, err := s.find(ctx, who, auth.WebhooksWrite, id)
	if err != nil {
		return WebhookTest{}, err
	}
	t, err := s.svc.Subscribers.SendTest(ctx, &w, s.svc.NewID())
	if err != nil {
		return WebhookTest{}, err
	}
	return WebhookTest{Delivered: t.Error == "", Status: t.Status, DurationMS: t.Duration.Milliseconds(), Error: t.Error}, nil
}

// ListDeliveries lists the newest deliveries of one webhook or of all that the actor may see, in one state or in all.
func (s Webhooks) ListDeliveries(ctx context.Context, who *auth.Actor, webhook, state string, page Page) (List[Delivery], error) {
	own, err := s.svc.authorize(ctx, who, auth.WebhooksRead, "")
	if err != nil {
		return List[Delivery]{}, err
	}
	if webhook != "" {
		if _, err := s.find(ctx, who, auth.WebhooksRead, webhook); err != nil {
			return List[Delivery]{}, err
		}
	}
	limit := maxDeliveries
	if page.After == "" && page.Limit > 0 {
		limit = min(limit, page.Limit) // enough for the first page
	}
	list, err := s.svc.Store.Outbox().List(ctx, store.DeliveryFilter{Webhook: webhook, Tenant: own, State: state, Limit: limit})
	if err != nil {
		return List[Delivery]{}, err
	}
	views := make([]Delivery, len(list))
	for i := range list {
		views[i] = viewDelivery(&list[i])
	}
	return newList(views, page, func(d Delivery) string { return d.ID })
}

// Redeliver sends a delivery again, whether it failed permanently or was accepted.
func (s Webhooks) Redeliver(ctx context.Context, who *auth.Actor, id, delivery string) (Delivery, error) {
	own, err := s.svc.authorize(ctx, who, auth.WebhooksWrite, "")
	if err != nil {
		return Delivery{}, err
	}
	tenant := ""
	err = s.svc.Store.Outbox().Redeliver(ctx, delivery, func(w store.Webhook) error {
		if w.ID != id || own != "" && w.Tenant != own {
			return store.ErrNotFound
		}
		tenant = w.Tenant
		return nil
	})
	if err != nil {
		return Delivery{}, mapNotFound(err, "delivery")
	}
	s.svc.Subscribers.Wake()
	list, err := s.svc.Store.Outbox().List(ctx, store.DeliveryFilter{ID: delivery})
	if err != nil {
		return Delivery{}, err
	}
	if len(list) == 0 { // its webhook has just been deleted
		return Delivery{}, newNotFoundError("delivery")
	}
	return viewDelivery(&list[0]), s.svc.publishChange(ctx, who, "redeliver", "webhook", id, tenant, nil, nil)
}

func viewDelivery(d *store.Delivery) Delivery {
	v := Delivery{
		ID: d.ID, WebhookID: d.Webhook, EventID: d.EventID, EventType: d.EventType, TenantID: d.Tenant, State: d.State, Queued: d.Queued,
		Attempts: make([]Attempt, len(d.Calls)),
	}
	if d.State == store.DeliveryPending {
		v.Next = &d.Due
	}
	if !d.Ended.IsZero() {
		v.Ended = &d.Ended
	}
	for i, c := range d.Calls {
		v.Attempts[i] = Attempt{Attempt: c.Attempt, At: c.At, Status: c.Status, DurationMS: c.Duration.Milliseconds(), Error: c.Error}
	}
	return v
}
