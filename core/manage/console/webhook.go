package console

import (
	"slices"

	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// webhookPage is what the page of one subscription shows.
type webhookPage struct {
	Webhook      admin.Webhook
	Tag          string // of the version that is shown
	Edit, Rotate *Form
	Names        *names
	Deliveries   list[admin.Delivery]
	State        string // of the deliveries that are shown; "": all
	Secret       string // a new one, shown once
	Tested       *admin.WebhookTest
}

// Types are the events that can be subscribed to.
func (webhookPage) Types() []Option { return webhookTypes() }

// Live reports whether the log is kept current.
func (p *webhookPage) Live() bool { return p.Deliveries.First }

// States are the choices of a delivery's state.
func (webhookPage) States() []Option {
	return options("", "All", store.DeliveryPending, "Waiting", store.DeliveryDelivered, "Delivered", store.DeliveryDead, "Given up")
}

func (h *webhookHandlers) showWebhook(r *request) error {
	return h.webhookPage(r, r.Param("webhook"), func(*webhookPage) {})
}

// webhookPage answers with the page of a subscription, to which change adds what was done.
func (h *webhookHandlers) webhookPage(r *request, id string, change func(*webhookPage)) error {
	p, err := h.readWebhook(r, id)
	if err != nil {
		return err
	}
	change(p)
	return r.show("webhook", p.Webhook.Name, p)
}

func (h *webhookHandlers) readWebhook(r *request, id string) (*webhookPage, error) {
	w, err := r.service().Webhooks().Get(r.ctx(), r.who, id)
	if err != nil {
		return nil, err
	}
	p := &webhookPage{Webhook: w, Tag: admin.Tag(w), Names: r.names(), Rotate: newForm(), Edit: newForm("name", w.Name, "url", w.URL)}
	p.Edit.Values["event_types"] = w.EventTypes
	if w.Enabled {
		p.Edit.Values.Set("enabled", "on")
	}
	if state := r.Query("state"); slices.ContainsFunc(p.States(), func(o Option) bool { return o.Value == state }) {
		p.State = state
	}
	log, err := r.service().Webhooks().ListDeliveries(r.ctx(), r.who, id, p.State, r.page())
	p.Deliveries, err = collect(r, log, err)
	return p, err
}

// StateForm is the filter of the log.
func (p *webhookPage) StateForm() *Form { return newForm("state", p.State) }

func (h *webhookHandlers) updateWebhook(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	name, address, types, enabled := f.text("name"), f.text("url"), f.Values["event_types"], f.on("enabled")
	change := admin.WebhookChange{Name: &name, URL: &address, EventTypes: &types, Enabled: &enabled}
	if len(types) == 0 {
		f.wrong("event_types", "Check at least one event.")
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(change)
	}
	if err == nil {
		_, err = r.service().Webhooks().Update(r.ctx(), r.who, r.Param("webhook"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		return h.webhookAgain(r, f, err, func(p *webhookPage) { p.Edit = f })
	}
	return r.done(webhookPath(r.Param("webhook")), "The webhook is changed.")
}

// webhookAgain answers with the page and what was wrong in one of its forms.
func (h *webhookHandlers) webhookAgain(r *request, f *Form, refused error, put func(*webhookPage)) error {
	p, err := h.readWebhook(r, r.Param("webhook"))
	if err != nil {
		return err
	}
	put(p)
	return r.again("webhook", p.Webhook.Name, p, f, refused)
}

func (h *webhookHandlers) rotateWebhook(r *request) error {
	f, err := r.form()
	if err == nil {
		err = r.once(f)
	}
	if err != nil {
		return err
	}
	hours := f.number("overlap_hours") * 3600
	to, made := admin.Rotation{Secret: f.text("secret"), OverlapSeconds: &hours}, ""
	if to.Secret == "" {
		made = newSecret()
		to.Secret = made
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(to)
	}
	if err == nil {
		_, err = r.service().Webhooks().RotateSecret(r.ctx(), r.who, r.Param("webhook"), to, "")
	}
	switch {
	case err != nil:
		return h.webhookAgain(r, f, err, func(p *webhookPage) { p.Rotate = f })
	case made == "":
		return r.done(webhookPath(r.Param("webhook")), "The secret is replaced. It signs from now on.")
	}
	return h.webhookPage(r, r.Param("webhook"), func(p *webhookPage) { p.Secret = made })
}

func (h *webhookHandlers) testWebhook(r *request) error {
	t, err := r.service().Webhooks().SendTest(r.ctx(), r.who, r.Param("webhook"))
	if err != nil {
		return err
	}
	return h.webhookPage(r, r.Param("webhook"), func(p *webhookPage) { p.Tested = &t })
}

func (h *webhookHandlers) deleteWebhook(r *request) error {
	if err := r.service().Webhooks().Delete(r.ctx(), r.who, r.Param("webhook"), ""); err != nil {
		return err
	}
	return r.done("/webhooks", "The webhook is deleted. What waited for it is dropped.")
}

func (h *webhookHandlers) redeliver(r *request) error {
	if _, err := r.service().Webhooks().Redeliver(r.ctx(), r.who, r.Param("webhook"), r.Param("delivery")); err != nil {
		return err
	}
	return r.done(webhookPath(r.Param("webhook"))+"#log", "It is sent once more.")
}
