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

// newWebhookPages declares the pages of webhooks.
func newWebhookPages() *webhookPages {
	h := &webhookPages{}
	h.resource = &resource[admin.Webhook]{
		path: "/webhooks", param: "webhook", title: "Webhooks", read: auth.WebhooksRead, write: auth.WebhooksWrite,
		intro: "A webhook receives events as signed POST requests. A delivery that fails is retried at growing intervals, and given up in the " +
			"end.",
		empty: "There are no webhooks yet. Create one below to receive refusals, budget alerts and findings where you work.",
		columns: []column[admin.Webhook]{
			{"Name", "", func(_ *request, w admin.Webhook) part { return newLinkPart(buildWebhookPath(w.ID), w.Name) }},
			{"Status", "", func(_ *request, w admin.Webhook) part { return newStatePart(nameEnabledState(w.Enabled)) }},
			{"URL", "break", func(_ *request, w admin.Webhook) part { return newTextPart(w.URL) }},
			{"Events", "", func(_ *request, w admin.Webhook) part { return newTextPart(strings.Join(w.EventTypes, ", ")) }},
			{"Workspace", "", func(r *request, w admin.Webhook) part { return newWorkspacePart(r, w.TenantID) }},
			{"Created", "", func(_ *request, w admin.Webhook) part { return newDatePart(w.CreatedAt) }},
		},
		list: func(r *request) (list[admin.Webhook], error) {
			hooks, err := r.service().Webhooks().List(r.ctx(), r.who, "", r.readWindow())
			return readPage(r, hooks, err)
		},
		form: func(r *request) (part, error) {
			workspaces, err := r.listWorkspaceChoices("All workspaces")
			return r.newFormPart(formView{ID: "new", Heading: "New webhook", Action: "/webhooks", Button: "Create webhook", Once: true}, newForm(),
				newInput("name", "Name", "required", "placeholder=On call"),
				newInput("url", "URL", "mono", "placeholder=https://example.com/headgate"),
				newChoice("format", "Format", listFormatChoices(), "hint=Slack and Teams: the URL of an incoming webhook, which is stored encrypted. PagerDuty: no URL, and the integration key as the secret."),
				newChoice("tenant_id", "Workspace", workspaces, "hint=Only events of this workspace are sent."),
				newWebhookSecretField("secret", "Signing secret"), newEventTypeField()), err
		},
		page: func(r *request) error { return h.show(r, r.Param("webhook"), "", nil) },
		update: func(r *request, id string, f *Form) error {
			name, address, types, enabled := f.readText("name"), f.readText("url"), f.readEventTypes(), f.isChecked("enabled")
			change, err := checkChange(f, admin.WebhookChange{Name: &name, URL: &address, EventTypes: &types, Enabled: &enabled})
			if err != nil {
				return err
			}
			_, err = r.service().Webhooks().Update(r.ctx(), r.who, id, change, f.readTag())
			return r.finish(err, buildWebhookPath(id), "Webhook saved.")
		},
		remove: func(r *request, id string) error { return r.service().Webhooks().Delete(r.ctx(), r.who, id, "") },
		told:   "Webhook deleted. Its pending deliveries are dropped.",
	}
	return h
}

func (h *webhookPages) mount(c *Console) {
	h.resource.mount(c)
	one := "/webhooks/:webhook"
	c.mountPost("/webhooks", auth.WebhooksWrite, handleFormOnce(h.createWebhook, h.showList))
	c.mountPost(one+"/rotate", auth.WebhooksWrite, handleFormOnce(h.rotate, h.page))
	c.mountPost(one+"/test", auth.WebhooksWrite, h.test)
	c.mountPost(one+"/deliveries/:delivery", auth.WebhooksWrite, h.redeliver)
}

func buildWebhookPath(id string) string { return "/webhooks/" + url.PathEscape(id) }

// newWorkspacePart draws the workspace of a record, which may be for all of them.
func newWorkspacePart(r *request, id any) part {
	if name := r.openWorkspaceNames().NameOf(id); name != "" {
		return newTextPart(name)
	}
	return newTextPart("all")
}

// newEventTypeField offers the events that can be subscribed to.
func newEventTypeField() field {
	var types []Option
	for _, t := range outbox.ListTypes() {
		types = append(types, Option{Value: t.Name, Label: t.Name + ": " + t.When})
	}
	return newCheckboxes("event_types", "Events", types, "wide")
}

// listFormatChoices offers the formats of calls.
func listFormatChoices() []Option {
	return newOptions(outbox.FormatHeadgate, "Headgate, signed", outbox.FormatSlack, "Slack", outbox.FormatTeams, "Microsoft Teams",
		outbox.FormatPagerDuty, "PagerDuty")
}

// readEventTypes returns the events that a form selects.
func (f *Form) readEventTypes() []string {
	types := f.readValues("event_types")
	if len(types) == 0 {
		f.addError("event_types", "Check at least one event.")
	}
	return types
}

func newWebhookSecretField(name, label string) field {
	return newInput(name, label, "type=password", "autocomplete=new-password",
		"hint=16 characters or more. If empty, one is generated and shown once.")
}

// readSecret returns the signing secret in a form. If the field is empty it generates one, which it also returns as generated.
func (f *Form) readSecret() (secret, generated string) {
	if secret = f.readText("secret"); secret == "" {
		generated = "whsec_" + strings.ToLower(rand.Text()+rand.Text())
		secret = generated
	}
	return secret, generated
}

func (h *webhookPages) createWebhook(r *request, f *Form) error {
	format, secret, generated := f.readText("format"), f.readText("secret"), ""
	if outbox.Signs(format) {
		secret, generated = f.readSecret()
	}
	n, err := checkChange(f, admin.NewWebhook{
		Name: f.readText("name"), URL: f.readText("url"), Format: format, EventTypes: f.readEventTypes(), TenantID: f.readText("tenant_id"), Secret: secret,
	})
	if err != nil {
		return err
	}
	w, err := r.service().Webhooks().Create(r.ctx(), r.who, n)
	if err != nil {
		return err
	}
	if generated == "" {
		return r.redirectWithNotice(buildWebhookPath(w.ID), "Webhook created. Send a test event next.")
	}
	return h.show(r, w.ID, generated, nil)
}

func (h *webhookPages) rotate(r *request, f *Form) error {
	secret, generated := f.readSecret()
	seconds := f.readNumber("overlap_hours") * 3600
	to, err := checkChange(f, admin.Rotation{Secret: secret, OverlapSeconds: &seconds})
	if err != nil {
		return err
	}
	id := r.Param("webhook")
	if _, err = r.service().Webhooks().RotateSecret(r.ctx(), r.who, id, to, ""); err != nil {
		return err
	}
	if generated == "" {
		return r.redirectWithNotice(buildWebhookPath(id), "Secret replaced. It signs from now on.")
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
	return r.redirectWithNotice(buildWebhookPath(r.Param("webhook"))+"#log", "The event is sent again.")
}
