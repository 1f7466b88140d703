package rest

import (
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addWebhooks adds the operations on webhooks.
func (a *API) addWebhooks() {
	const tag, item = "Webhooks", "/webhooks/{id}"
	s := a.Service.Webhooks()
	mountCRUD(a, entity[admin.Webhook, TenantQuery]{
		name:         "Webhook",
		noun:         "a webhook",
		tag:          tag,
		path:         "/webhooks",
		permissions:  permissions{read: auth.WebhooksRead, write: auth.WebhooksWrite},
		createErrors: []int{http.StatusNotFound, http.StatusConflict},
		list:         "List webhooks",
		id:           func(w admin.Webhook) string { return w.ID },
		query:        adaptTenantList(s.List),
	}, s)
	addActionWithBody(a, Operation{
		ID: "rotateWebhook", Path: item + "/rotate", Tag: tag,
		Summary: "Rotate the signing secret; the previous one signs a second header for a while", Permission: auth.WebhooksWrite,
	}, s.RotateSecret)
	registerOperation(a, Operation{
		ID:         "testWebhook",
		Method:     http.MethodPost,
		Path:       item + "/test",
		Tag:        tag,
		Summary:    "Send a signed test event and return the receiver's answer",
		Permission: auth.WebhooksWrite,
	}, func(ctx context.Context, who *auth.Actor, in *RecordPath) (*recordAnswer[admin.WebhookTest], error) {
		return answerRecord(s.SendTest(ctx, who, in.ID))
	})
	registerPagedList(a, Operation{
		ID: "listWebhookDeliveries", Method: http.MethodGet, Path: item + "/deliveries", Tag: tag,
		Summary: "List the newest deliveries of a webhook, at most 1,000", Permission: auth.WebhooksRead,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordPath
		Page
		State string `query:"state" enum:"pending,delivered,dead" doc:"Only deliveries in this state."`
	}, p admin.Page,
	) (admin.List[admin.Delivery], error) {
		return s.ListDeliveries(ctx, who, in.ID, in.State, p)
	})
	registerPagedList(a, Operation{
		ID: "listDeadLetters", Method: http.MethodGet, Path: "/webhook-dead-letters", Tag: tag,
		Summary: "List the newest deliveries that failed permanently, of all webhooks, at most 1,000", Permission: auth.WebhooksRead,
	}, func(ctx context.Context, who *auth.Actor, _ *PageQuery, p admin.Page) (admin.List[admin.Delivery], error) {
		return s.ListDeliveries(ctx, who, "", "dead", p)
	})
	registerOperation(a, Operation{
		ID: "redeliverWebhook", Method: http.MethodPost, Path: item + "/deliveries/{deliveryId}/redeliver", Tag: tag,
		Summary: "Send a delivery again", Permission: auth.WebhooksWrite,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordPath
		DeliveryID string `path:"deliveryId" maxLength:"128" doc:"The id of the delivery."`
	},
	) (*recordAnswer[admin.Delivery], error) {
		return answerRecord(s.Redeliver(ctx, who, in.ID, in.DeliveryID))
	})
}
