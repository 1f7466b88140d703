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

// workspaces declares the pages of workspaces.
func workspaces(o *Options) *workspacePages {
	h := &workspacePages{gateway: o.Gateway}
	if o.Playground != nil {
		h.models = o.Playground.Models
	}
	h.resource = &resource[admin.Tenant]{
		path: "/workspaces", param: "tenant", title: "Workspaces", read: auth.TenantsRead, write: auth.TenantsUpdate,
		intro: "A workspace is a team or an application with its own keys, budgets and policies.",
		empty: "There are no workspaces yet. Create the first one below: keys belong to workspaces, and calls to models need a key.",
		columns: []column[admin.Tenant]{
			{"Name", "", func(_ *request, t admin.Tenant) part { return linkPart(workspacePath(t.ID), t.Name) }},
			{"Status", "", func(_ *request, t admin.Tenant) part { return statePart(t.Status) }},
			{"Tier", "", func(_ *request, t admin.Tenant) part { return textPart(t.Tier) }},
			{"Region", "", func(_ *request, t admin.Tenant) part { return textPart(dashIfEmpty(t.Region)) }},
			{"Source", "", func(_ *request, t admin.Tenant) part { return sourcePart(t.Source) }},
			{"Created", "", func(_ *request, t admin.Tenant) part { return datePart(t.CreatedAt) }},
		},
		list: func(r *request) (list[admin.Tenant], error) {
			tenants, err := r.service().Tenants().List(r.ctx(), r.who, r.listWindow())
			return collect(r, tenants, err)
		},
		head: addNewWorkspace,
		page: func(r *request) error { return h.show(r, nil) },
		update: func(r *request, id string, f *Form) error {
			change := workspaceChange(f)
			if r.who.Tenant != "" {
				change.Status, change.Tier = nil, nil
			}
			change, err := checkChange(f, change)
			if err != nil {
				return err
			}
			_, err = r.service().Tenants().Update(r.ctx(), r.who, id, change, f.matchTag())
			return r.finish(err, workspacePath(id), "Workspace saved.")
		},
	}
	return h
}

func (h *workspacePages) mount(c *Console) {
	h.resource.mount(c)
	c.post("/workspaces", auth.TenantsCreate, submit(h.createWorkspace, h.showList))
	c.post("/workspaces/:tenant/delete", auth.TenantsDelete, func(r *request) error {
		err := r.service().Tenants().Delete(r.ctx(), r.who, r.Param("tenant"), "")
		return r.finish(err, "/workspaces", "Workspace deleted, with its keys.")
	})
	c.post("/workspaces/:tenant/keys", auth.KeysCreate, submitOnce(h.createKey, h.page))
	c.get("/workspaces/:tenant/keys/:key", auth.KeysRead, h.showKey)
	c.post("/workspaces/:tenant/keys/:key", auth.KeysManage, submit(h.changeKey, h.showKey))
	c.post("/workspaces/:tenant/keys/:key/rotate", auth.KeysManage, submitOnce(h.rotateKey, nil))
	c.post("/workspaces/:tenant/keys/:key/revoke", auth.KeysManage, h.revokeKey)
}

func workspacePath(tenant string) string { return "/workspaces/" + url.PathEscape(tenant) }

func tierField(settings ...string) field {
	return choice("tier", "Tier", options("standard", "Standard", "premium", "Premium", "bulk", "Bulk"), settings...)
}

func addNewWorkspace(r *request, p *listPage) error {
	if r.who.Can(auth.TenantsCreate) {
		v := formView{ID: "new", Heading: "New workspace", Action: "/workspaces", Button: "Create workspace"}
		p.After = append(p.After, r.formPart(v, newForm(), input("name", "Name", "required", "placeholder=Research"),
			tierField("hint=The priority of its calls when the gateway is busy."),
			input("region", "Region", "placeholder=eu-central", "hint=The region in which its requests should stay."),
			input("tags", "Tags", "hint=Your own labels, separated by commas.")))
	}
	return nil
}

func (h *workspacePages) createWorkspace(r *request, f *Form) error {
	change, err := checkChange(f, workspaceChange(f))
	if err != nil {
		return err
	}
	t, err := r.service().Tenants().Create(r.ctx(), r.who, change)
	if err != nil {
		return err
	}
	return r.redirectWithNotice(workspacePath(t.ID), "Workspace created. Create a key for it next.")
}

// workspaceChange reads the fields that a form sends.
func workspaceChange(f *Form) admin.TenantChange {
	name := f.text("name")
	change := admin.TenantChange{Name: &name, Tier: f.optionalText("tier"), Status: f.optionalText("status")}
	if _, sent := f.Values["region"]; sent {
		region := f.text("region")
		change.Region = &region
	}
	if _, sent := f.Values["tags"]; sent {
		tags := f.words("tags")
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
		p.Head = append(p.Head, part{"link", link{Path: membersPath(t.ID), Text: "Members", Class: "button"}})
	}
	if created != nil {
		p.add(secretPart("The key "+created.Name, created.Key), h.snippets(r, created.Key))
	}
	p.add(part{"facts", []fact{
		{"Id", drawCopied(t.ID)},
		{"Tier", textPart(t.Tier)},
		{"Region", textPart(dashIfEmpty(t.Region))},
		{"Tags", textPart(dashIfEmpty(strings.Join(t.Tags, ", ")))},
		{"Created", timePart(t.CreatedAt)},
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
		p.add(hintPart("This workspace is defined in the configuration file. Change it there."))
		return
	}
	if !r.who.Can(auth.TenantsUpdate) {
		return
	}
	fields := []field{input("name", "Name", "required"), input("region", "Region"), input("tags", "Tags", "hint=Separated by commas.")}
	if r.who.Tenant == "" {
		fields = append(fields, tierField(),
			choice("status", "Status", options("active", "Active", "suspended", "Suspended"), "hint=Calls of a suspended workspace are refused."))
	}
	p.add(r.formPart(formView{ID: "settings", Heading: "Settings", Action: workspacePath(t.ID), Button: "Save workspace", Tag: admin.Tag(*t)},
		newForm("name", t.Name, "region", t.Region, "tier", t.Tier, "status", t.Status, "tags", joinWords(t.Tags)), fields...))
	if r.who.Can(auth.TenantsDelete) {
		p.add(h.deletion(t.ID, "Delete workspace…", "Its keys stop working at once, and its records are deleted. This cannot be undone.",
			"Delete "+t.Name))
	}
}
