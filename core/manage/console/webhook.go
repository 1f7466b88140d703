package console

import (
	"slices"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// webhookPage is the page of one webhook, with the log of its deliveries.
type webhookPage struct {
	recordPage
	Webhook    admin.Webhook
	Deliveries list[admin.Delivery]
	State      string // of the listed deliveries; "": all
}

// Live reports whether the log is refreshed.
func (p *webhookPage) Live() bool { return p.Deliveries.First }

// listDeliveryStates returns the options of a delivery's state.
func listDeliveryStates() []Option {
	return newOptions("", "All", store.DeliveryPending, "Pending", store.DeliveryDelivered, "Delivered", store.DeliveryDead, "Given up")
}

// show answers with the page. secret is one that was just generated, and tested the outcome of a test event; both are optional.
func (h *webhookPages) show(r *request, id, secret string, tested *admin.WebhookTest) error {
	w, err := r.service().Webhooks().Get(r.ctx(), r.who, id)
	if err != nil {
		return err
	}
	p := &webhookPage{Webhook: w}
	p.Crumbs, p.recordPage.State = []link{{Path: "/webhooks", Text: h.title}}, nameEnabledState(w.Enabled)
	if state := r.Query("state"); slices.ContainsFunc(listDeliveryStates(), func(o Option) bool { return o.Value == state }) {
		p.State = state
	}
	log, err := r.service().Webhooks().ListDeliveries(r.ctx(), r.who, id, p.State, r.readWindow())
	if p.Deliveries, err = readPage(r, log, err); err != nil {
		return err
	}
	if r.who.Can(h.write) {
		p.Head = []part{{"button", link{Path: buildWebhookPath(id) + "/test#main", Text: "Send test event"}}}
	}
	if secret != "" {
		p.add(newSecretPart("Signing secret", secret))
	}
	if tested != nil {
		p.add(part{"webhook-test", tested})
	}
	p.add(part{"facts", []fact{
		{"Id", newCodePart(w.ID)},
		{"URL", newCodePart(w.URL)},
		{"Format", newTextPart(w.Format)},
		{"Workspace", newWorkspacePart(r, w.TenantID)},
		{"Signing secret", part{"webhook-secret", w}},
		{"Created", newTimePart(w.CreatedAt)},
	}})
	filter := filterView{Action: buildWebhookPath(id) + "#log", Button: "Show deliveries"}
	filter.Fields = drawFields(newForm("state", p.State), []field{newChoice("state", "State", listDeliveryStates())})
	p.add(part{"webhook-log", webhookLog{p, filter}})
	if r.who.Can(h.write) {
		h.addForms(r, p)
	}
	return r.show("record", w.Name, p)
}

// webhookLog is the log with the filter above it.
type webhookLog struct {
	*webhookPage
	Filter filterView
}

// addForms adds the actions on a webhook.
func (h *webhookPages) addForms(r *request, p *webhookPage) {
	w := p.Webhook
	initial := newForm("name", w.Name, "url", w.URL)
	initial.Values["event_types"] = w.EventTypes
	initial.setChecked("enabled", w.Enabled)
	path := buildWebhookPath(w.ID)
	p.add(
		r.newFormPart(formView{ID: "settings", Heading: "Settings", Action: path, Button: "Save webhook", Tag: admin.ComputeTag(w)}, initial,
			newInput("name", "Name", "required"), newInput("url", "URL", "required", "mono"),
			newCheckbox("enabled", "Enabled", "hint=Events that happen while it is disabled are not sent later."), newEventTypeField()),
		r.newFormPart(formView{
			ID: "secret-new", Heading: "Signing secret", Action: path + "/rotate", Anchor: "main", Button: "Replace secret",
			Plain: true, Once: true,
		},
			newForm(), newWebhookSecretField("secret", "New secret"),
			newChoice("overlap_hours", "The old secret also signs for", newOptions("24", "1 day", "1", "1 hour", "168", "7 days", "0", "no time"))),
		h.newDeletion(w.ID, "Delete webhook…", "It receives no more events, and its log is deleted. This cannot be undone.", "Delete "+w.Name),
	)
}
