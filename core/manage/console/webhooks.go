package console

import (
	"crypto/rand"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/outbox"
)

// webhookHandlers serve webhooks and the log of their deliveries.
type webhookHandlers struct{}

// webhooks mounts subscriptions to events, and the log of what was delivered to them.
func (h *webhookHandlers) mount(c *Console) {
	c.get("/webhooks", auth.WebhooksRead, h.listWebhooks)
	c.post("/webhooks", auth.WebhooksWrite, h.createWebhook)
	c.get("/webhooks/:webhook", auth.WebhooksRead, h.showWebhook)
	c.post("/webhooks/:webhook", auth.WebhooksWrite, h.updateWebhook)
	c.post("/webhooks/:webhook/rotate", auth.WebhooksWrite, h.rotateWebhook)
	c.post("/webhooks/:webhook/test", auth.WebhooksWrite, h.testWebhook)
	c.post("/webhooks/:webhook/delete", auth.WebhooksWrite, h.deleteWebhook)
	c.post("/webhooks/:webhook/deliveries/:delivery", auth.WebhooksWrite, h.redeliver)
}

// webhookList is what the list of subscriptions shows.
type webhookList struct {
	Webhooks   list[admin.Webhook]
	Workspaces []Option
	Form       *Form
	Names      *names
}

// Types are the events that can be subscribed to.
func (webhookList) Types() []Option { return webhookTypes() }

func webhookTypes() []Option {
	var out []Option
	for _, t := range outbox.Types() {
		out = append(out, Option{Value: t.Name, Label: t.Name + ": " + t.When})
	}
	return out
}

func (h *webhookHandlers) listWebhooks(r *request) error { return h.webhooksPage(r, newForm(), nil) }

func (h *webhookHandlers) webhooksPage(r *request, f *Form, refused error) (err error) {
	p := &webhookList{Form: f, Names: r.names()}
	if p.Workspaces, err = r.workspaceChoices("All workspaces"); err != nil {
		return err
	}
	hooks, err := r.service().Webhooks().List(r.ctx(), r.who, "", r.page())
	if p.Webhooks, err = collect(r, hooks, err); err != nil {
		return err
	}
	if refused != nil {
		return r.again("webhooks", "Webhooks", p, f, refused)
	}
	return r.show("webhooks", "Webhooks", p)
}

func (h *webhookHandlers) createWebhook(r *request) error {
	f, err := r.form()
	if err == nil {
		err = r.once(f)
	}
	if err != nil {
		return err
	}
	n := admin.NewWebhook{Name: f.text("name"), URL: f.text("url"), EventTypes: f.Values["event_types"], TenantID: f.text("tenant_id"), Secret: f.text("secret")}
	made := ""
	if n.Secret == "" {
		made = newSecret()
		n.Secret = made
	}
	if len(n.EventTypes) == 0 {
		f.wrong("event_types", "Check at least one event.")
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(n)
	}
	var w admin.Webhook
	if err == nil {
		w, err = r.service().Webhooks().Create(r.ctx(), r.who, n)
	}
	if err != nil {
		return h.webhooksPage(r, f, err)
	}
	if made == "" {
		return r.done(webhookPath(w.ID), "The webhook is made. Send it a test event next.")
	}
	return h.webhookPage(r, w.ID, func(p *webhookPage) { p.Secret = made })
}

// newSecret is a signing secret that nobody has chosen.
func newSecret() string { return "whsec_" + strings.ToLower(rand.Text()+rand.Text()) }

func webhookPath(id string) string { return "/webhooks/" + url.PathEscape(id) }
