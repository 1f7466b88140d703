package console

import (
	"net/url"
	"strconv"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// guardrailPages serves guardrail plugins.
type guardrailPages struct {
	*resource[admin.GuardrailPlugin]
}

// newGuardrailPages declares the pages of guardrail plugins.
func newGuardrailPages() *guardrailPages {
	h := &guardrailPages{}
	h.resource = &resource[admin.GuardrailPlugin]{
		path: "/guardrail-plugins", param: "id", title: "Guardrail plugins", read: auth.GuardrailsRead, write: auth.GuardrailsWrite,
		intro: "Your own guards over HTTP. The gateway sends each of them texts, signed with its secret, and carries out its verdict.",
		empty: "There are no guardrail plugins here. Create one below: the gateway calls it for every request and answer in its scope.",
		live:  10, key: func(p admin.GuardrailPlugin) string { return p.ID },
		columns: []column[admin.GuardrailPlugin]{
			{"Name", "break", func(_ *request, p admin.GuardrailPlugin) part { return newLinkPart(buildGuardrailPath(p.ID), p.Name) }},
			{"Scope", "", func(r *request, p admin.GuardrailPlugin) part { return newGuardrailScope(r, p) }},
			{"URL", "break", func(_ *request, p admin.GuardrailPlugin) part { return newTextPart(p.URL) }},
			{"Timeout", "num", func(_ *request, p admin.GuardrailPlugin) part { return newTextPart(formatMillis(p.TimeoutMS)) }},
			{"Fail mode", "", func(_ *request, p admin.GuardrailPlugin) part { return newTextPart(p.FailMode) }},
			{"Mode", "", func(_ *request, p admin.GuardrailPlugin) part { return newTextPart(p.Mode) }},
			{"Status", "", func(_ *request, p admin.GuardrailPlugin) part { return newStatePart(p.Status) }},
			{"Updated", "", func(_ *request, p admin.GuardrailPlugin) part { return newTimePart(p.UpdatedAt) }},
			newActionsColumn("Actions", h.newRowActions),
		},
		list: func(r *request) (list[admin.GuardrailPlugin], error) {
			plugins, err := r.service().GuardrailPlugins().List(r.ctx(), r.who, r.Query("workspace"), r.readWindow())
			return readPage(r, plugins, err)
		},
		head: func(r *request, p *listPage) error {
			workspaces, err := r.listWorkspaceChoices("All")
			filter := filterView{Action: "/guardrail-plugins", Button: "Filter plugins"}
			filter.Fields = drawFields(newForm("workspace", r.Query("workspace")),
				[]field{newChoice("workspace", "Workspace", workspaces, "id=f-filter")})
			p.Parts = append(p.Parts, part{"filter", filter})
			return err
		},
		form:   h.newForm,
		create: h.createPlugin,
		page:   h.show,
		update: func(r *request, id string, f *Form) error {
			name, where := f.readText("name"), f.readText("url")
			change, err := checkChange(f, admin.GuardrailPluginChange{
				Name: &name, URL: &where, TimeoutMS: f.readOptionalNumber("timeout_ms"),
				FailMode: f.readOptionalText("fail_mode"), Mode: f.readOptionalText("mode"),
			})
			if err != nil {
				return err
			}
			_, err = r.service().GuardrailPlugins().Update(r.ctx(), r.who, id, change, f.readTag())
			return r.finish(err, buildGuardrailPath(id), "Guardrail plugin saved.")
		},
		remove: func(r *request, id string) error {
			return r.service().GuardrailPlugins().Delete(r.ctx(), r.who, id, "")
		},
		told: "Guardrail plugin deleted. The gateway no longer calls it.",
	}
	return h
}

func (h *guardrailPages) mount(c *Console) {
	h.resource.mount(c)
	c.mountPost("/guardrail-plugins/:id/enable", auth.GuardrailsWrite, h.enable(true))
	c.mountPost("/guardrail-plugins/:id/disable", auth.GuardrailsWrite, h.enable(false))
	c.mountPost("/guardrail-plugins/:id/rotate", auth.GuardrailsRotate, handleForm(h.rotate, h.page))
}

func buildGuardrailPath(id string) string { return "/guardrail-plugins/" + url.PathEscape(id) }

func newGuardrailScope(r *request, p admin.GuardrailPlugin) part {
	if name := r.openWorkspaceNames().NameOf(p.TenantID); name != "" {
		return newTextPart(name)
	}
	return newTextPart("platform")
}

// newRowActions returns the actions on a plugin in the list.
func (h *guardrailPages) newRowActions(r *request, p admin.GuardrailPlugin) part {
	if !r.who.Can(h.write) {
		return newTextPart("")
	}
	toggle := link{Path: buildGuardrailPath(p.ID) + "/enable", Text: "Enable", Class: "small", Of: p.Name}
	if p.Status == "Enabled" {
		toggle.Path, toggle.Text = buildGuardrailPath(p.ID)+"/disable", "Disable"
	}
	return part{"several", []part{{"button", toggle}, newConfirmPart(confirmation{
		Opens: "Delete…", Class: "small", Says: "The gateway no longer calls it. This cannot be undone.",
		Action: buildGuardrailPath(p.ID) + "/delete", Button: "Delete " + p.Name, Danger: true,
	})}}
}

// listGuardrailFields returns the fields of a new plugin and of one that is changed.
func listGuardrailFields() []field {
	return []field{
		newInput("timeout_ms", "Timeout, ms", "required", "type=number", "min=1", "max=60000"),
		newChoice("fail_mode", "Fail mode", newOptions("CLOSED", "CLOSED", "OPEN", "OPEN"),
			"hint=CLOSED: a failure refuses the call. OPEN: a failure counts as an empty result."),
		newChoice("mode", "Mode", newOptions("enforce", "enforce", "shadow", "shadow"),
			"hint=In shadow mode it receives copies and changes nothing."),
	}
}

func (h *guardrailPages) newForm(r *request) (part, error) {
	scopes, err := r.listWorkspaceChoices("The platform: all workspaces")
	v := formView{
		ID: "new", Heading: "New guardrail plugin", Action: "/guardrail-plugins", Anchor: "new", Button: "Create guardrail plugin",
		Autocomplete: "off",
	}
	return r.newFormPart(v, newForm("timeout_ms", "5000", "fail_mode", "CLOSED", "mode", "enforce"), append([]field{
		newInput("name", "Name", "required", "hint=Must be unique."), newChoice("tenant_id", "Scope", scopes),
		newInput("url", "URL", "required", "type=url", "placeholder=https://guard.example.com/check"),
		newInput("secret", "Secret", "required", "type=password", "autocomplete=new-password",
			"hint=At least 16 characters. It signs calls and verifies replies, is stored encrypted, and never shown."),
	}, listGuardrailFields()...)...), err
}

func (h *guardrailPages) createPlugin(r *request, f *Form) error {
	n, err := checkChange(f, admin.NewGuardrailPlugin{
		Name: f.readText("name"), TenantID: f.readText("tenant_id"), URL: f.readText("url"), Secret: f.Values.Get("secret"),
		TimeoutMS: f.readOptionalNumber("timeout_ms"), FailMode: f.readText("fail_mode"), Mode: f.readText("mode"),
	})
	if err != nil {
		return err
	}
	_, err = r.service().GuardrailPlugins().Create(r.ctx(), r.who, n)
	return r.finish(err, "/guardrail-plugins", "Guardrail plugin created. The gateway calls it within seconds.")
}

// show answers with the page of a plugin.
func (h *guardrailPages) show(r *request) error {
	v, err := r.service().GuardrailPlugins().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	path := buildGuardrailPath(v.ID)
	p := &recordPage{Crumbs: []link{{Path: "/guardrail-plugins", Text: h.title}}, State: v.Status}
	facts := []fact{
		{"Scope", newGuardrailScope(r, v)},
		{"URL", newTextPart(v.URL)},
		{"Timeout", newTextPart(formatMillis(v.TimeoutMS))},
		{"Fail mode", newTextPart(v.FailMode)},
		{"Mode", newTextPart(v.Mode)},
		{"Created", newTimePart(v.CreatedAt)},
		{"Updated", newTimePart(v.UpdatedAt)},
	}
	if v.PreviousUntil != nil {
		facts = append(facts, fact{"Previous secret signs until", newTimePart(v.PreviousUntil)})
	}
	p.add(part{"facts", facts})
	if r.who.Can(h.write) {
		initial := newForm("name", v.Name, "url", v.URL, "timeout_ms", strconv.FormatInt(v.TimeoutMS, 10), "fail_mode", v.FailMode, "mode",
			v.Mode)
		p.add(r.newFormPart(
			formView{ID: "settings", Heading: "Settings", Action: path, Button: "Save guardrail plugin", Tag: admin.ComputeTag(v)},
			initial,
			append([]field{newInput("name", "Name", "required"), newInput("url", "URL", "required", "type=url")}, listGuardrailFields()...)...))
	}
	if r.who.Can(auth.GuardrailsRotate) {
		p.add(r.newFormPart(formView{
			ID: "rotate", Heading: "Secret", Action: path + "/rotate", Button: "Rotate secret", Autocomplete: "off",
			Intro: part{"paragraph", "The new secret signs at once. The previous one signs a second header until the receiver has the new one."},
		}, newForm(), newInput("secret", "New secret", "required", "type=password", "autocomplete=new-password", "hint=At least 16 characters."),
			newInput("hours", "The previous one signs for, hours", "type=number", "min=0", "max=720", "placeholder=24")))
	} else {
		p.add(newHintPart("Only an owner can rotate the secret."))
	}
	if r.who.Can(h.write) {
		p.add(h.newDeletion(v.ID, "Delete guardrail plugin…", "The gateway no longer calls it. This cannot be undone.", "Delete "+v.Name))
	}
	return r.show("record", v.Name, p)
}

func (h *guardrailPages) enable(enabled bool) func(*request) error {
	return func(r *request) error {
		v, err := r.service().GuardrailPlugins().SetEnabled(r.ctx(), r.who, r.Param("id"), enabled, "")
		if err != nil {
			return err
		}
		if enabled {
			return r.redirectWithNotice("/guardrail-plugins", v.Name+" is enabled.")
		}
		return r.redirectWithNotice("/guardrail-plugins", v.Name+" is disabled. The gateway no longer calls it.")
	}
}

func (h *guardrailPages) rotate(r *request, f *Form) error {
	rotation := admin.Rotation{Secret: f.Values.Get("secret")}
	if hours := f.readOptionalNumber("hours"); hours != nil {
		seconds := *hours * 3600
		if *hours < 0 || *hours > 720 {
			f.addError("hours", "Write 0 to 720 hours.")
		}
		rotation.OverlapSeconds = &seconds
	}
	rotation, err := checkChange(f, rotation)
	if err != nil {
		return err
	}
	_, err = r.service().GuardrailPlugins().RotateSecret(r.ctx(), r.who, r.Param("id"), rotation, "")
	return r.finish(err, buildGuardrailPath(r.Param("id")), "Secret rotated. The new one signs within seconds on every node.")
}
