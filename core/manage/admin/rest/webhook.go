package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

type WebhookPath struct {
	ID string `path:"id" maxLength:"128" doc:"The subscription's id."`
}

// webhooks adds the operations on subscriptions to events.
func (a *API) webhooks() {
	const tag, list, item = "Webhooks", "/webhooks", "/webhooks/{id}"
	s := a.Service
	handle(a, Operation{
		ID: "createWebhook", Method: http.MethodPost, Path: list, Tag: tag, Summary: "Subscribe to events",
		Permission: auth.WebhooksWrite, Status: http.StatusCreated, Errors: []int{http.StatusNotFound, http.StatusConflict},
	}, func(ctx context.Context, who *auth.Actor, in *struct{ Body admin.NewWebhook }) (*made[admin.Webhook], error) {
		w, err := s.Webhooks().Create(ctx, who, in.Body)
		return showNew(list+"/"+w.ID, w, err)
	})
	handleList(a, Operation{
		ID: "listWebhooks", Method: http.MethodGet, Path: list, Tag: tag, Summary: "List subscriptions", Permission: auth.WebhooksRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		Page
		TenantID string `query:"tenant_id" maxLength:"128" doc:"Of this tenant alone."`
	}, p admin.Page,
	) (admin.List[admin.Webhook], error) {
		return s.Webhooks().List(ctx, who, in.TenantID, p)
	})
	handle(a, Operation{
		ID: "getWebhook", Method: http.MethodGet, Path: item, Tag: tag, Summary: "Read a subscription", Permission: auth.WebhooksRead,
	}, func(ctx context.Context, who *auth.Actor, in *WebhookPath) (*one[admin.Webhook], error) {
		return show(s.Webhooks().Get(ctx, who, in.ID))
	})
	handle(a, Operation{
		ID: "updateWebhook", Method: http.MethodPut, Path: item, Tag: tag, Summary: "Change the fields of a subscription that are sent",
		Permission: auth.WebhooksWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		WebhookPath
		Match
		Body admin.WebhookChange
	},
	) (*one[admin.Webhook], error) {
		return show(s.Webhooks().Update(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "deleteWebhook", Method: http.MethodDelete, Path: item, Tag: tag, Summary: "End a subscription",
		Permission: auth.WebhooksWrite, Status: http.StatusNoContent, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		WebhookPath
		Match
	},
	) (*none, error) {
		return done(s.Webhooks().Delete(ctx, who, in.ID, in.of()))
	})
	handle(a, Operation{
		ID: "rotateWebhook", Method: http.MethodPost, Path: item + "/rotate", Tag: tag, Summary: "Replace the signing secret; the one before signs a second header for a while",
		Permission: auth.WebhooksWrite, Errors: changing,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		WebhookPath
		Match
		Body admin.Rotation
	},
	) (*one[admin.Webhook], error) {
		return show(s.Webhooks().RotateSecret(ctx, who, in.ID, in.Body, in.of()))
	})
	handle(a, Operation{
		ID: "testWebhook", Method: http.MethodPost, Path: item + "/test", Tag: tag, Summary: "Send a signed test event, and say what came back",
		Permission: auth.WebhooksWrite,
	}, func(ctx context.Context, who *auth.Actor, in *WebhookPath) (*one[admin.WebhookTest], error) {
		return show(s.Webhooks().SendTest(ctx, who, in.ID))
	})
	a.deliveries()
}

// deliveries adds the operations on what is sent to subscribers.
func (a *API) deliveries() {
	const tag = "Webhooks"
	s := a.Service
	handleList(a, Operation{
		ID: "listWebhookDeliveries", Method: http.MethodGet, Path: "/webhooks/{id}/deliveries", Tag: tag,
		Summary: "List the newest deliveries to a subscriber, 1,000 at most", Permission: auth.WebhooksRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		WebhookPath
		Page
		State string `query:"state" enum:"pending,delivered,dead" doc:"In this state alone."`
	}, p admin.Page,
	) (admin.List[admin.Delivery], error) {
		return s.Webhooks().ListDeliveries(ctx, who, in.ID, in.State, p)
	})
	handleList(a, Operation{
		ID: "listDeadLetters", Method: http.MethodGet, Path: "/webhook-dead-letters", Tag: tag,
		Summary: "List the newest deliveries that were given up, to all subscribers, 1,000 at most", Permission: auth.WebhooksRead,
	}, func(ctx context.Context, who *auth.Actor, _ *struct{ Page }, p admin.Page) (admin.List[admin.Delivery], error) {
		return s.Webhooks().ListDeliveries(ctx, who, "", "dead", p)
	})
	handle(a, Operation{
		ID: "redeliverWebhook", Method: http.MethodPost, Path: "/webhooks/{id}/deliveries/{deliveryId}/redeliver", Tag: tag,
		Summary: "Send a delivery once more", Permission: auth.WebhooksWrite,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		WebhookPath
		DeliveryID string `path:"deliveryId" maxLength:"128" doc:"The delivery's id."`
	},
	) (*one[admin.Delivery], error) {
		return show(s.Webhooks().Redeliver(ctx, who, in.ID, in.DeliveryID))
	})
}
