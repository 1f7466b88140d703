package console

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// workspacePages serves workspaces, which the API calls tenants, and their keys.
type workspacePages struct {
	*resource[admin.Tenant]
	gateway string          // the address for clients, for examples; may be ""
	models  func() []string // the models that this node serves; optional
}

// newWorkspacePages declares the pages of workspaces.
func newWorkspacePages(o *Options) *workspacePages {
	h := &workspacePages{gateway: o.Gateway}
	if o.Playground != nil {
		h.models = o.Playground.Models
	}
	h.resource = &resource[admin.Tenant]{
		path: "/workspaces", param: "tenant", title: "Workspaces", read: auth.TenantsRead, write: auth.TenantsUpdate,
		intro: "A workspace is a team or an application with its own keys, budgets and policies.",
		empty: "There are no workspaces yet. Create the first one below: keys belong to workspaces, and calls to models need a key.",
		columns: []column[admin.Tenant]{
			{"Name", "", func(_ *request, t admin.Tenant) part { return newLinkPart(buildWorkspacePath(t.ID), t.Name) }},
			{"Status", "", func(_ *request, t admin.Tenant) part { return newStatePart(t.Status) }},
			{"Tier", "", func(_ *request, t admin.Tenant) part { return newTextPart(t.Tier) }},
			{"Region", "", func(_ *request, t admin.Tenant) part { return newTextPart(dashIfEmpty(t.Region)) }},
			{"Source", "", func(_ *request, t admin.Tenant) part { return newSourcePart(t.Source) }},
			{"Created", "", func(_ *request, t admin.Tenant) part { return newDatePart(t.CreatedAt) }},
		},
		list: func(r *request) (list[admin.Tenant], error) {
			tenants, err := r.service().Tenants().List(r.ctx(), r.who, r.readWindow())
			return readPage(r, tenants, err)
		},
		head: addWorkspaceForm,
		page: func(r *request) error { return h.show(r, nil) },
		update: func(r *request, id string, f *Form) error {
			change := readWorkspaceChange(f)
			if r.who.Tenant != "" {
				change.Status, change.Tier = nil, nil
			}
			change, err := checkChange(f, change)
			if err != nil {
				return err
			}
			_, err = r.service().Tenants().Update(r.ctx(), r.who, id, change, f.readTag())
			return r.finish(err, buildWorkspacePath(id), "Workspace saved.")
		},
	}
	return h
}

func (h *workspacePages) mount(c *Console) {
	h.resource.mount(c)
	c.mountPost("/workspaces", auth.TenantsCreate, handleForm(h.createWorkspace, h.showList))
	c.mountTyped("/workspaces/:tenant/delete", auth.TenantsDelete, func(r *request) (string, error) {
		t, err := r.service().Tenants().Get(r.ctx(), r.who, r.Param("tenant"))
		return t.Name, err
	}, func(r *request) error {
		err := r.service().Tenants().Delete(r.ctx(), r.who, r.Param("tenant"), "")
		return r.finish(err, "/workspaces", "Workspace deleted, with its keys.")
	}, h.page)
	c.mountPost("/workspaces/:tenant/keys", auth.KeysCreate, handleFormOnce(h.createKey, h.page))
	c.mountPost("/workspaces/:tenant/key-template", auth.TenantsUpdate, handleForm(h.saveTemplate, h.page))
	c.mountGet("/workspaces/:tenant/keys/:key", auth.KeysRead, h.showKey)
	c.mountPost("/workspaces/:tenant/keys/:key", auth.KeysOwn, handleForm(h.changeKey, h.showKey))
	c.mountPost("/workspaces/:tenant/keys/:key/rotate", auth.KeysOwn, handleFormOnce(h.rotateKey, nil))
	c.mountTyped("/workspaces/:tenant/keys/:key/revoke", auth.KeysOwn, func(r *request) (string, error) {
		k, err := r.service().Keys().Get(r.ctx(), r.who, r.Param("tenant"), r.Param("key"))
		return k.Name, err
	}, h.revokeKey, h.showKey)
}

func buildWorkspacePath(tenant string) string { return "/workspaces/" + url.PathEscape(tenant) }

func newTierField(settings ...string) field {
	return newChoice("tier", "Tier", newOptions("standard", "Standard", "premium", "Premium", "bulk", "Bulk"), settings...)
}

func addWorkspaceForm(r *request, p *listPage) error {
	if r.who.Can(auth.TenantsCreate) {
		v := formView{ID: "new", Heading: "New workspace", Action: "/workspaces", Button: "Create workspace"}
		p.After = append(p.After, r.newFormPart(v, newForm(), newInput("name", "Name", "required", "placeholder=Research"),
			newTierField("hint=The priority of its calls when the gateway is busy."),
			newInput("region", "Region", "placeholder=eu-central", "hint=The region in which its requests should stay."),
			newInput("tags", "Tags", "hint=Your own labels, separated by commas.")))
	}
	return nil
}

func (h *workspacePages) createWorkspace(r *request, f *Form) error {
	change, err := checkChange(f, readWorkspaceChange(f))
	if err != nil {
		return err
	}
	t, err := r.service().Tenants().Create(r.ctx(), r.who, change)
	if err != nil {
		return err
	}
	return r.redirectWithNotice(buildWorkspacePath(t.ID), "Workspace created. Create a key for it next.")
}

// readWorkspaceChange reads the fields that a form sends.
func readWorkspaceChange(f *Form) admin.TenantChange {
	name := f.readText("name")
	change := admin.TenantChange{Name: &name, Tier: f.readOptionalText("tier"), Status: f.readOptionalText("status")}
	if _, sent := f.Values["region"]; sent {
		region := f.readText("region")
		change.Region = &region
	}
	if _, sent := f.Values["tags"]; sent {
		tags := f.readWords("tags")
		change.Tags = &tags
	}
	return change
}

// show answers with the page of a workspace, and with the plaintext of a key that was just created.
func (h *workspacePages) show(r *request, created *admin.Key) error {
	t, err := r.service().Tenants().Get(r.ctx(), r.who, r.Param("tenant"))
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: "/workspaces", Text: h.title}}, State: t.Status}
	if r.who.Can(auth.MembersRead) {
		p.Head = append(p.Head, part{"link", link{Path: buildMembersPath(t.ID), Text: "Members", Class: "button"}})
	}
	if created != nil {
		p.add(newSecretPart("The key "+created.Name, created.Key), h.newSnippetsPart(r, created.Key))
	}
	p.add(part{"facts", []fact{
		{"Id", newCopyPart(t.ID)},
		{"Tier", newTextPart(t.Tier)},
		{"Region", newTextPart(dashIfEmpty(t.Region))},
		{"Tags", newTextPart(dashIfEmpty(strings.Join(t.Tags, ", ")))},
		{"Created", newTimePart(t.CreatedAt)},
	}})
	if err := h.addKeys(r, p, t.ID); err != nil {
		return err
	}
	h.addSettings(r, p, &t)
	return r.show("record", t.Name, p)
}

// addSettings adds the form that changes a workspace.
func (h *workspacePages) addSettings(r *request, p *recordPage, t *admin.Tenant) {
	if t.Source == "file" {
		p.add(newHintPart("This workspace is defined in the configuration file. Change it there."))
		return
	}
	if !r.who.Can(auth.TenantsUpdate) {
		return
	}
	fields := []field{newInput("name", "Name", "required"), newInput("region", "Region"), newInput("tags", "Tags",
		"hint=Separated by commas.")}
	if r.who.Tenant == "" {
		fields = append(fields, newTierField(),
			newChoice("status", "Status", newOptions("active", "Active", "suspended", "Suspended"),
				"hint=Calls of a suspended workspace are refused."))
	}
	p.add(r.newFormPart(formView{
		ID: "settings", Heading: "Settings", Action: buildWorkspacePath(t.ID), Button: "Save workspace",
		Tag: admin.ComputeTag(*t),
	},
		newForm("name", t.Name, "region", t.Region, "tier", t.Tier, "status", t.Status, "tags", joinWords(t.Tags)), fields...))
	h.addTemplate(r, p, t)
	if r.who.Can(auth.TenantsDelete) {
		p.add(h.newTypedDeletion(r, t.ID, t.Name, "Delete workspace…",
			"Its keys stop working at once, and its records are deleted. This cannot be undone."))
	}
}
