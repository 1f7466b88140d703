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

// deliveryStates are the options of a delivery's state.
func deliveryStates() []Option {
	return options("", "All", store.DeliveryPending, "Pending", store.DeliveryDelivered, "Delivered", store.DeliveryDead, "Given up")
}

// show answers with the page. secret is one that was just generated, and tested the outcome of a test event; both are optional.
func (h *webhookPages) show(r *request, id, secret string, tested *admin.WebhookTest) error {
	w, err := r.service().Webhooks().Get(r.ctx(), r.who, id)
	if err != nil {
		return err
	}
	p := &webhookPage{Webhook: w}
	p.Crumbs, p.recordPage.State = []link{{Path: "/webhooks", Text: h.title}}, enabledState(w.Enabled)
	if state := r.Query("state"); slices.ContainsFunc(deliveryStates(), func(o Option) bool { return o.Value == state }) {
		p.State = state
	}
	log, err := r.service().Webhooks().ListDeliveries(r.ctx(), r.who, id, p.State, r.listWindow())
	if p.Deliveries, err = collect(r, log, err); err != nil {
		return err
	}
	if r.who.Can(h.write) {
		p.Head = []part{{"button", link{Path: webhookPath(id) + "/test#main", Text: "Send test event"}}}
	}
	if secret != "" {
		p.add(secretPart("Signing secret", secret))
	}
	if tested != nil {
		p.add(part{"webhook-test", tested})
	}
	p.add(part{"facts", []fact{
		{"Id", codePart(w.ID)},
		{"URL", codePart(w.URL)},
		{"Format", textPart(w.Format)},
		{"Workspace", workspacePart(r, w.TenantID)},
		{"Signing secret", part{"webhook-secret", w}},
		{"Created", timePart(w.CreatedAt)},
	}})
	filter := filterView{Action: webhookPath(id) + "#log", Button: "Show deliveries"}
	filter.Fields = drawFields(newForm("state", p.State), []field{choice("state", "State", deliveryStates())})
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
	path := webhookPath(w.ID)
	p.add(
		r.formPart(formView{ID: "settings", Heading: "Settings", Action: path, Button: "Save webhook", Tag: admin.Tag(w)}, initial,
			input("name", "Name", "required"), input("url", "URL", "required", "mono"),
			checkbox("enabled", "Enabled", "hint=Events that happen while it is disabled are not sent later."), eventTypeField()),
		r.formPart(formView{
			ID: "secret-new", Heading: "Signing secret", Action: path + "/rotate", Anchor: "main", Button: "Replace secret",
			Plain: true, Once: true,
		},
			newForm(), webhookSecret("secret", "New secret"),
			choice("overlap_hours", "The old secret also signs for", options("24", "1 day", "1", "1 hour", "168", "7 days", "0", "no time"))),
		h.deletion(w.ID, "Delete webhook…", "It receives no more events, and its log is deleted. This cannot be undone.", "Delete "+w.Name),
	)
}
