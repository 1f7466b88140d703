package console

import (
	"crypto/rand"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/outbox"
)

// webhookPages serves webhooks and the log of their deliveries.
type webhookPages struct{ *resource[admin.Webhook] }

// webhooks declares the pages of webhooks.
func webhooks() *webhookPages {
	h := &webhookPages{}
	h.resource = &resource[admin.Webhook]{
		path: "/webhooks", param: "webhook", title: "Webhooks", read: auth.WebhooksRead, write: auth.WebhooksWrite,
		intro: "A webhook receives events as signed POST requests. A delivery that fails is retried at growing intervals, and given up in the " +
			"end.",
		empty: "There are no webhooks yet. Create one below to receive refusals, budget alerts and findings where you work.",
		columns: []column[admin.Webhook]{
			{"Name", "", func(_ *request, w admin.Webhook) part { return linkPart(webhookPath(w.ID), w.Name) }},
			{"Status", "", func(_ *request, w admin.Webhook) part { return statePart(enabledState(w.Enabled)) }},
			{"URL", "break", func(_ *request, w admin.Webhook) part { return textPart(w.URL) }},
			{"Events", "", func(_ *request, w admin.Webhook) part { return textPart(strings.Join(w.EventTypes, ", ")) }},
			{"Workspace", "", func(r *request, w admin.Webhook) part { return workspacePart(r, w.TenantID) }},
			{"Created", "", func(_ *request, w admin.Webhook) part { return datePart(w.CreatedAt) }},
		},
		list: func(r *request) (list[admin.Webhook], error) {
			hooks, err := r.service().Webhooks().List(r.ctx(), r.who, "", r.listWindow())
			return collect(r, hooks, err)
		},
		form: func(r *request) (part, error) {
			workspaces, err := r.workspaceChoices("All workspaces")
			return r.formPart(formView{ID: "new", Heading: "New webhook", Action: "/webhooks", Button: "Create webhook", Once: true}, newForm(),
				input("name", "Name", "required", "placeholder=On call"),
				input("url", "URL", "mono", "placeholder=https://example.com/headgate"),
				choice("format", "Format", formatChoices(), "hint=Slack and Teams: the URL of an incoming webhook, which is stored encrypted. PagerDuty: no URL, and the integration key as the secret."),
				choice("tenant_id", "Workspace", workspaces, "hint=Only events of this workspace are sent."),
				webhookSecret("secret", "Signing secret"), eventTypeField()), err
		},
		page: func(r *request) error { return h.show(r, r.Param("webhook"), "", nil) },
		update: func(r *request, id string, f *Form) error {
			name, address, types, enabled := f.text("name"), f.text("url"), f.eventTypes(), f.isChecked("enabled")
			change, err := checkChange(f, admin.WebhookChange{Name: &name, URL: &address, EventTypes: &types, Enabled: &enabled})
			if err != nil {
				return err
			}
			_, err = r.service().Webhooks().Update(r.ctx(), r.who, id, change, f.matchTag())
			return r.finish(err, webhookPath(id), "Webhook saved.")
		},
		remove: func(r *request, id string) error { return r.service().Webhooks().Delete(r.ctx(), r.who, id, "") },
		told:   "Webhook deleted. Its pending deliveries are dropped.",
	}
	return h
}

func (h *webhookPages) mount(c *Console) {
	h.resource.mount(c)
	one := "/webhooks/:webhook"
	c.post("/webhooks", auth.WebhooksWrite, submitOnce(h.createWebhook, h.showList))
	c.post(one+"/rotate", auth.WebhooksWrite, submitOnce(h.rotate, h.page))
	c.post(one+"/test", auth.WebhooksWrite, h.test)
	c.post(one+"/deliveries/:delivery", auth.WebhooksWrite, h.redeliver)
}

func webhookPath(id string) string { return "/webhooks/" + url.PathEscape(id) }

// workspacePart draws the workspace of a record, which may be for all of them.
func workspacePart(r *request, id any) part {
	if name := r.workspaceNames().NameOf(id); name != "" {
		return textPart(name)
	}
	return textPart("all")
}

// eventTypeField offers the events that can be subscribed to.
func eventTypeField() field {
	var types []Option
	for _, t := range outbox.Types() {
		types = append(types, Option{Value: t.Name, Label: t.Name + ": " + t.When})
	}
	return checkboxes("event_types", "Events", types, "wide")
}

// formatChoices offers the formats of calls.
func formatChoices() []Option {
	return options(outbox.FormatHeadgate, "Headgate, signed", outbox.FormatSlack, "Slack", outbox.FormatTeams, "Microsoft Teams",
		outbox.FormatPagerDuty, "PagerDuty")
}

// eventTypes returns the events that a form selects.
func (f *Form) eventTypes() []string {
	types := f.list("event_types")
	if len(types) == 0 {
		f.addError("event_types", "Check at least one event.")
	}
	return types
}

func webhookSecret(name, label string) field {
	return input(name, label, "type=password", "autocomplete=new-password",
		"hint=16 characters or more. If empty, one is generated and shown once.")
}

// secret returns the signing secret in a form. If the field is empty it generates one, which it also returns as generated.
func (f *Form) secret() (secret, generated string) {
	if secret = f.text("secret"); secret == "" {
		generated = "whsec_" + strings.ToLower(rand.Text()+rand.Text())
		secret = generated
	}
	return secret, generated
}

func (h *webhookPages) createWebhook(r *request, f *Form) error {
	format, secret, generated := f.text("format"), f.text("secret"), ""
	if outbox.Signs(format) {
		secret, generated = f.secret()
	}
	n, err := checkChange(f, admin.NewWebhook{
		Name: f.text("name"), URL: f.text("url"), Format: format, EventTypes: f.eventTypes(), TenantID: f.text("tenant_id"), Secret: secret,
	})
	if err != nil {
		return err
	}
	w, err := r.service().Webhooks().Create(r.ctx(), r.who, n)
	if err != nil {
		return err
	}
	if generated == "" {
		return r.redirectWithNotice(webhookPath(w.ID), "Webhook created. Send a test event next.")
	}
	return h.show(r, w.ID, generated, nil)
}

func (h *webhookPages) rotate(r *request, f *Form) error {
	secret, generated := f.secret()
	seconds := f.number("overlap_hours") * 3600
	to, err := checkChange(f, admin.Rotation{Secret: secret, OverlapSeconds: &seconds})
	if err != nil {
		return err
	}
	id := r.Param("webhook")
	if _, err = r.service().Webhooks().RotateSecret(r.ctx(), r.who, id, to, ""); err != nil {
		return err
	}
	if generated == "" {
		return r.redirectWithNotice(webhookPath(id), "Secret replaced. It signs from now on.")
	}
	return h.show(r, id, generated, nil)
}

func (h *webhookPages) test(r *request) error {
	t, err := r.service().Webhooks().SendTest(r.ctx(), r.who, r.Param("webhook"))
	if err != nil {
		return err
	}
	return h.show(r, r.Param("webhook"), "", &t)
}

func (h *webhookPages) redeliver(r *request) error {
	if _, err := r.service().Webhooks().Redeliver(r.ctx(), r.who, r.Param("webhook"), r.Param("delivery")); err != nil {
		return err
	}
	return r.redirectWithNotice(webhookPath(r.Param("webhook"))+"#log", "The event is sent again.")
}
