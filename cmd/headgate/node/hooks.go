package node

import (
	"context"
	"errors"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/schemas"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/plugins/webhook"
)

// hooks are the parts that call other systems because of records: subscriptions, guardrail plugins and output schemas.
type hooks struct {
	cfg     config.Webhooks
	db      *store.DB
	tel     *telemetry.Telemetry
	master  *vault.Master
	emitter *outbox.Emitter
	sends   *outbox.Dispatcher
	sender  *webhook.Sender
	guards  *webhook.Group
	schemas *schemaSource
	boxes   struct{ webhooks, guards *vault.Box }

	stop context.CancelFunc
	runs sync.WaitGroup
}

// newHooks returns the hooks. Nothing is sent before start.
func newHooks(cfg *config.Config, rec *Records, tel *telemetry.Telemetry, note func(remote.Observed)) (*hooks, error) {
	h := &hooks{cfg: cfg.Webhooks, db: rec.DB, tel: tel, master: rec.Master, schemas: newSchemaSource(), stop: func() {}}
	var err error
	if h.boxes.webhooks, err = rec.Master.NewBox("webhooks"); err != nil {
		return nil, err
	}
	if h.boxes.guards, err = rec.Master.NewBox("guardrail plugins"); err != nil {
		return nil, err
	}
	c := cfg.Webhooks
	h.sender, err = webhook.NewSender(webhook.SenderOptions{Timeout: c.Timeout, AllowPrivate: c.AllowPrivate, CAFile: c.CAFile})
	if err != nil {
		return nil, err
	}
	h.guards = webhook.NewGroup(config.GuardrailPluginsName, note)
	h.sends = outbox.NewDispatcher(outbox.Options{
		Store: h.db, Box: h.boxes.webhooks, Sender: subscribers{h.sender, tel}, Timeout: c.Timeout,
		Backoff: outbox.Backoff{Attempts: c.MaxAttempts, Age: c.GiveUpAfter}, Delivered: c.KeepDelivered, Dead: c.KeepDead,
		OnError: func(err error) {
			tel.Log.Error().Err(err).Msg("events could not be read from the outbox; will retry")
		},
	})
	h.emitter = outbox.NewEmitter(outbox.EmitterOptions{
		Store: h.db.Outbox(), Stored: h.sends.Wake,
		OnError: func(err error) { tel.Log.Error().Err(err).Msg("events could not be written to the outbox") },
	})
	return h, nil
}

// subscribers delivers events to subscribers.
type subscribers struct {
	*webhook.Sender
	tel *telemetry.Telemetry
}

func (s subscribers) Send(ctx context.Context, c outbox.Call) (int, error) {
	status, err := s.Sender.Send(ctx, webhook.Event(c))
	s.tel.RecordDelivery(err == nil)
	return status, err
}

// start delivers events until close.
func (h *hooks) start(ctx context.Context) {
	ctx, h.stop = context.WithCancel(ctx)
	h.runs.Go(func() { h.sends.Run(ctx) })
	h.runs.Go(func() { h.logDrops(ctx) })
}

// dropsEvery is the interval at which dropped events are logged.
const dropsEvery = 10 * time.Second

// logDrops logs how many events were dropped because the store could not keep up.
func (h *hooks) logDrops(ctx context.Context) {
	tick := time.NewTicker(dropsEvery)
	defer tick.Stop()
	for told := int64(0); ; {
		select {
		case <-ctx.Done():
			return
		case <-tick.C:
			if _, dropped := h.emitter.Counts(); dropped > told {
				h.tel.Log.Warn().Int64(
					"events",
					dropped-told,
				).Msg(
					"events were dropped because the database could not keep up; subscribers do not receive them",
				)
				told = dropped
			}
		}
	}
}

// refresh applies changed records.
func (h *hooks) refresh(ctx context.Context) error {
	return errors.Join(h.refreshWebhooks(ctx), h.refreshGuards(ctx), h.refreshSchemas(ctx))
}

// refreshWebhooks reads the event types of all subscriptions.
func (h *hooks) refreshWebhooks(ctx context.Context) error {
	h.sends.Wake() // a subscription that was just enabled may have pending deliveries
	return h.emitter.Refresh(ctx)
}

// refreshGuards puts the enabled guardrail plugins in force.
func (h *hooks) refreshGuards(ctx context.Context) error {
	var list []webhook.Record
	for p, err := range h.db.GuardrailPlugins().ListByOwner(ctx, "", store.Cursor{}, 0) {
		if err != nil {
			return err
		}
		if p.Enabled {
			list = append(list, h.convertGuard(&p))
		}
	}
	if err := h.guards.Set(list); err != nil { // usable ones are in force regardless
		h.tel.Log.Error().Err(err).Msg("a guardrail plugin cannot be used")
	}
	return nil
}

// convertGuard converts a stored plugin. If its secret cannot be opened, the guard is unusable.
func (h *hooks) convertGuard(p *store.GuardrailPlugin) webhook.Record {
	o := webhook.Options{
		Link: p.Name, URL: p.URL, Timeout: p.Timeout, AllowPrivate: h.cfg.AllowPrivate, FailOpen: p.FailMode == string(config.FailOpen),
		Shadow: p.Mode == string(config.Shadow), PreviousUntil: p.PreviousUntil, Settings: webhook.Settings{CAFile: h.cfg.CAFile},
	}
	if secret, err := h.boxes.guards.Open(p.Secret, p.ID); err == nil {
		o.Secret = string(secret)
	}
	if len(p.Previous) > 0 {
		if previous, err := h.boxes.guards.Open(p.Previous, p.ID); err == nil {
			o.Previous = string(previous)
		}
	}
	return webhook.Record{ID: p.ID, Version: p.Version, Tenant: p.Tenant, Options: o}
}

// refreshSchemas puts the enabled output schemas in force.
func (h *hooks) refreshSchemas(ctx context.Context) error {
	var list []schemas.Record
	for s, err := range h.db.OutputSchemas().Iterate(ctx, store.Cursor{}, 0) {
		if err != nil {
			return err
		}
		if s.Enabled {
			list = append(list, convertSchema(&s))
		}
	}
	h.schemas.set(list)
	return nil
}

// close stops delivery and stores queued events.
func (h *hooks) close(ctx context.Context) {
	h.emitter.Close(ctx)
	h.stop()
	h.runs.Wait()
	h.guards.Close()
	h.sender.Close()
}

// CheckURL returns an error if the URL of a subscriber or plugin is not permitted.
func (h *hooks) CheckURL(url string) error { return h.sender.CheckURL(url) }

// SendTest sends a signed test event to a subscriber.
func (h *hooks) SendTest(ctx context.Context, w *store.Webhook, id string) (outbox.TestResult, error) {
	return h.sends.SendTest(ctx, w, id)
}

// Wake signals that deliveries are pending.
func (h *hooks) Wake() { h.sends.Wake() }
