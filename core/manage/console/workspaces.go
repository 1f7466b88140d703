package console

import (
	"net/url"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// workspaceHandlers serve workspaces and their keys.
type workspaceHandlers struct{}

// workspaces mounts the pages of workspaces, as tenants are called here, and of their keys.
func (h *workspaceHandlers) mount(c *Console) {
	c.get("/workspaces", auth.TenantsRead, h.listWorkspaces)
	c.post("/workspaces", auth.TenantsCreate, h.createWorkspace)
	c.get("/workspaces/:tenant", auth.TenantsRead, h.showWorkspace)
	c.post("/workspaces/:tenant", auth.TenantsUpdate, h.updateWorkspace)
	c.post("/workspaces/:tenant/delete", auth.TenantsDelete, h.deleteWorkspace)
	c.post("/workspaces/:tenant/keys", auth.KeysCreate, h.createKey)
	c.post("/workspaces/:tenant/keys/:key/rotate", auth.KeysManage, h.rotateKey)
	c.post("/workspaces/:tenant/keys/:key/revoke", auth.KeysManage, h.revokeKey)
}

// workspaceList is what the list shows.
type workspaceList struct {
	Workspaces list[admin.Tenant]
	Form       *Form
}

func (h *workspaceHandlers) listWorkspaces(r *request) error {
	return h.workspacesPage(r, newForm(), nil)
}

func (h *workspaceHandlers) workspacesPage(r *request, f *Form, refused error) error {
	tenants, err := r.service().Tenants().List(r.ctx(), r.who, r.page())
	rows, err := collect(r, tenants, err)
	if err != nil {
		return err
	}
	data := workspaceList{rows, f}
	if refused != nil {
		return r.again("workspaces", "Workspaces", data, f, refused)
	}
	return r.show("workspaces", "Workspaces", data)
}

func (h *workspaceHandlers) createWorkspace(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change := workspaceChange(f)
	if err := admin.Bounded(change); err != nil {
		return h.workspacesPage(r, f, err)
	}
	t, err := r.service().Tenants().Create(r.ctx(), r.who, change)
	if err != nil {
		return h.workspacesPage(r, f, err)
	}
	return r.done(workspacePath(t.ID), "The workspace is made. Give it a key next.")
}

// workspaceChange are the fields that a form sends of a workspace.
func workspaceChange(f *Form) admin.TenantChange {
	name := f.text("name")
	change := admin.TenantChange{Name: &name, Tier: f.opt("tier"), Status: f.opt("status")}
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

func workspacePath(tenant string) string { return "/workspaces/" + url.PathEscape(tenant) }

// workspace is what the page of one workspace shows.
type workspace struct {
	Workspace admin.Tenant
	Tag       string // of the version that is shown
	Keys      list[admin.Key]
	Edit, New *Form
	Made      *admin.Key // whose plaintext is shown, once
	Unlimited bool       // the reader may make keys without scopes
}

// Scopes are what keys may be used for.
func (workspace) Scopes() []Option {
	return options("completions:write", "Completions, Messages, Responses", "embeddings:write", "Embeddings", "models:read", "List models", "batches:write", "Batches and files")
}

// Changeable reports whether the workspace is not one of the configuration file.
func (w workspace) Changeable() bool { return w.Workspace.Source != "file" }

// workspace reads what the page shows. Its forms are those of the request, where one was refused.
func (h *workspaceHandlers) workspace(r *request) (workspace, error) {
	id := r.Param("tenant")
	t, err := r.service().Tenants().Get(r.ctx(), r.who, id)
	if err != nil {
		return workspace{}, err
	}
	w := workspace{
		Workspace: t, Tag: admin.Tag(t), New: newForm("scopes", "completions:write"), Unlimited: r.who.Can(auth.KeysUnlimited),
		Edit: newForm("name", t.Name, "region", t.Region, "tier", t.Tier, "status", t.Status, "tags", words(t.Tags)),
	}
	if r.who.Can(auth.KeysRead) {
		keys, err := r.service().Keys().List(r.ctx(), r.who, id, r.page())
		if w.Keys, err = collect(r, keys, err); err != nil {
			return w, err
		}
	}
	return w, nil
}

func (h *workspaceHandlers) showWorkspace(r *request) error {
	w, err := h.workspace(r)
	if err != nil {
		return err
	}
	return r.show("workspace", w.Workspace.Name, w)
}

func (h *workspaceHandlers) updateWorkspace(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change := workspaceChange(f)
	if r.who.Tenant != "" {
		change.Status, change.Tier = nil, nil
	}
	if err = admin.Bounded(change); err == nil {
		_, err = r.service().Tenants().Update(r.ctx(), r.who, r.Param("tenant"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		w, unread := h.workspace(r)
		if unread != nil {
			return unread
		}
		w.Edit = f
		return r.again("workspace", w.Workspace.Name, w, f, err)
	}
	return r.done(workspacePath(r.Param("tenant")), "The workspace is changed.")
}

func (h *workspaceHandlers) deleteWorkspace(r *request) error {
	if err := r.service().Tenants().Delete(r.ctx(), r.who, r.Param("tenant"), ""); err != nil {
		return err
	}
	return r.done("/workspaces", "The workspace and its keys are deleted.")
}
