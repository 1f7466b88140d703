package admin

import (
	"context"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Update changes the given fields.
func (s Webhooks) Update(ctx context.Context, who *auth.Actor, id string, c WebhookChange, m Match) (Webhook, error) {
	return s.change(ctx, who, id, updated, m, func(w *store.Webhook) error { return s.apply(w, &c) })
}

// apply changes a record, if it may be stored then.
func (s Webhooks) apply(w *store.Webhook, c *WebhookChange) error {
	if c.Name != nil {
		w.Name = *c.Name
	}
	if c.URL != nil {
		if err := s.setURL(w, *c.URL); err != nil {
			return err
		}
	}
	if c.EventTypes != nil {
		w.EventTypes = *c.EventTypes
	}
	if c.Enabled != nil {
		w.Enabled = *c.Enabled
	}
	return s.check(w)
}

// RotateSecret replaces the signing secret of a webhook. The previous one signs a second header for a while.
func (s Webhooks) RotateSecret(ctx context.Context, who *auth.Actor, id string, r Rotation, m Match) (Webhook, error) {
	if _, err := s.svc.authorize(ctx, who, auth.WebhooksWrite, ""); err != nil {
		return Webhook{}, err
	}
	return s.change(ctx, who, id, "rotate", m, func(w *store.Webhook) error {
		if err := s.sealRotation(w, r.Secret); err != nil {
			return err
		}
		r.rotate(&w.Secrets, s.svc.WebhookBox, outbox.FormatSecretContext(w.ID), s.svc.Now())
		return nil
	})
}

func (s Webhooks) change(
	ctx context.Context,
	who *auth.Actor,
	id, action string,
	m Match,
	change func(w *store.Webhook) error,
) (Webhook, error) {
	var was changedRecord
	own, err := s.svc.authorize(ctx, who, auth.WebhooksWrite, "")
	if err != nil {
		return Webhook{}, err
	}
	w, err := s.svc.Store.Webhooks().Change(ctx, id, func(w *store.Webhook) error {
		if own != "" && w.Tenant != own {
			return store.ErrNotFound
		}
		if err := m.Check(was.storeView(viewWebhook(w))); err != nil {
			return err
		}
		return change(w)
	})
	if err != nil {
		return Webhook{}, mapTaken(err, "webhook")
	}
	return viewWebhook(&w), s.svc.publishChange(ctx, who, action, "webhook", id, w.Tenant, was.view, viewWebhook(&w))
}

// Delete removes a webhook. Its pending deliveries are dropped.
func (s Webhooks) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	own, err := s.svc.authorize(ctx, who, auth.WebhooksWrite, "")
	if err != nil {
		return err
	}
	tenant := ""
	err = s.svc.Store.Webhooks().Delete(ctx, id, func(w store.Webhook) error {
		if own != "" && w.Tenant != own {
			return store.ErrNotFound
		}
		tenant = w.Tenant
		return m.Check(was.storeView(viewWebhook(&w)))
	})
	if err != nil {
		return mapNotFound(err, "webhook")
	}
	return s.svc.publishChange(ctx, who, deleted, "webhook", id, tenant, was.view, nil)
}
