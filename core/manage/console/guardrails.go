package console

import (
	"net/url"
	"strconv"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// guardrailHandlers serve guardrail plugins.
type guardrailHandlers struct{}

// guardrails mounts guardrail plugins.
func (h *guardrailHandlers) mount(c *Console) {
	c.get("/guardrail-plugins", auth.GuardrailsRead, h.listGuardrails)
	c.post("/guardrail-plugins", auth.GuardrailsWrite, h.createGuardrail)
	c.get("/guardrail-plugins/:id", auth.GuardrailsRead, h.showGuardrail)
	c.post("/guardrail-plugins/:id", auth.GuardrailsWrite, h.updateGuardrail)
	c.post("/guardrail-plugins/:id/enable", auth.GuardrailsWrite, h.enableGuardrail(true))
	c.post("/guardrail-plugins/:id/disable", auth.GuardrailsWrite, h.enableGuardrail(false))
	c.post("/guardrail-plugins/:id/rotate", auth.GuardrailsRotate, h.rotateGuardrail)
	c.post("/guardrail-plugins/:id/delete", auth.GuardrailsWrite, h.deleteGuardrail)
}

func guardrailPath(id string) string { return "/guardrail-plugins/" + url.PathEscape(id) }

// guardrailList is what the list shows.
type guardrailList struct {
	Plugins    list[admin.GuardrailPlugin]
	Names      *names
	Filter     *Form
	Workspaces []Option // to narrow the list to
	Scopes     []Option // that a plugin may have
	Form       *Form
	Sealed     bool // secrets can be encrypted
}

func (h *guardrailHandlers) listGuardrails(r *request) error {
	return h.guardrailsPage(r, newForm("timeout_ms", "5000", "fail_mode", "CLOSED", "mode", "enforce"), nil)
}

func (h *guardrailHandlers) guardrailsPage(r *request, f *Form, refused error) error {
	p := guardrailList{Names: r.names(), Filter: newForm("workspace", r.Query("workspace")), Form: f, Sealed: r.service().PluginBox != nil}
	l, err := r.service().GuardrailPlugins().List(r.ctx(), r.who, r.Query("workspace"), r.page())
	if p.Plugins, err = collect(r, l, err); err != nil {
		return err
	}
	if p.Workspaces, err = r.workspaceChoices("All"); err != nil {
		return err
	}
	if p.Scopes, err = r.workspaceChoices("The platform: all workspaces"); err != nil {
		return err
	}
	if refused != nil {
		return r.again("guardrail-plugins", "Guardrail plugins", p, f, refused)
	}
	return r.show("guardrail-plugins", "Guardrail plugins", p)
}

func (h *guardrailHandlers) createGuardrail(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	n := admin.NewGuardrailPlugin{
		Name: f.text("name"), TenantID: f.text("tenant_id"), URL: f.text("url"), Secret: f.Values.Get("secret"),
		TimeoutMS: f.maybe("timeout_ms"), FailMode: f.text("fail_mode"), Mode: f.text("mode"),
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(n)
	}
	if err == nil {
		_, err = r.service().GuardrailPlugins().Create(r.ctx(), r.who, n)
	}
	if err != nil {
		return h.guardrailsPage(r, f, err)
	}
	return r.done("/guardrail-plugins", "The guardrail plugin is made. The gateway asks it within seconds.")
}

// maybe is a field with a whole number that may be left empty: nil.
func (f *Form) maybe(name string) *int64 {
	if f.text(name) == "" {
		return nil
	}
	n := f.number(name)
	return &n
}

// guardrailPage is what the page of one plugin shows.
type guardrailPage struct {
	Plugin admin.GuardrailPlugin
	Tag    string
	Names  *names
	Edit   *Form
	Rotate *Form
}

func (h *guardrailHandlers) guardrailPage(r *request) (guardrailPage, error) {
	v, err := r.service().GuardrailPlugins().Get(r.ctx(), r.who, r.Param("id"))
	return guardrailPage{
		Plugin: v, Tag: admin.Tag(v), Names: r.names(), Rotate: newForm(),
		Edit: newForm("name", v.Name, "url", v.URL, "timeout_ms", strconv.FormatInt(v.TimeoutMS, 10), "fail_mode", v.FailMode, "mode", v.Mode),
	}, err
}

func (h *guardrailHandlers) showGuardrail(r *request) error {
	p, err := h.guardrailPage(r)
	if err != nil {
		return err
	}
	return r.show("guardrail-plugin", p.Plugin.Name, p)
}

func (h *guardrailHandlers) updateGuardrail(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	name, where := f.text("name"), f.text("url")
	change := admin.GuardrailPluginChange{Name: &name, URL: &where, TimeoutMS: f.maybe("timeout_ms"), FailMode: f.opt("fail_mode"), Mode: f.opt("mode")}
	if err = f.ok(); err == nil {
		err = admin.Bounded(change)
	}
	if err == nil {
		_, err = r.service().GuardrailPlugins().Update(r.ctx(), r.who, r.Param("id"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		p, unread := h.guardrailPage(r)
		if unread != nil {
			return unread
		}
		p.Edit = f
		return r.again("guardrail-plugin", p.Plugin.Name, p, f, err)
	}
	return r.done(guardrailPath(r.Param("id")), "The guardrail plugin is changed.")
}

func (h *guardrailHandlers) enableGuardrail(enabled bool) func(*request) error {
	return func(r *request) error {
		v, err := r.service().GuardrailPlugins().SetEnabled(r.ctx(), r.who, r.Param("id"), enabled, "")
		if err != nil {
			return err
		}
		if enabled {
			return r.done("/guardrail-plugins", v.Name+" is enabled.")
		}
		return r.done("/guardrail-plugins", v.Name+" is disabled. It is not asked any more.")
	}
}

func (h *guardrailHandlers) rotateGuardrail(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	rotation := admin.Rotation{Secret: f.Values.Get("secret")}
	if hours := f.maybe("hours"); hours != nil {
		seconds := *hours * 3600
		if *hours < 0 || *hours > 720 {
			f.wrong("hours", "Write 0 to 720 hours.")
		}
		rotation.OverlapSeconds = &seconds
	}
	if err = f.ok(); err == nil {
		err = admin.Bounded(rotation)
	}
	if err == nil {
		_, err = r.service().GuardrailPlugins().RotateSecret(r.ctx(), r.who, r.Param("id"), rotation, "")
	}
	if err != nil {
		p, unread := h.guardrailPage(r)
		if unread != nil {
			return unread
		}
		p.Rotate = f
		return r.again("guardrail-plugin", p.Plugin.Name, p, f, err)
	}
	return r.done(guardrailPath(r.Param("id")), "The secret is replaced. The new one signs within seconds, on every node.")
}

func (h *guardrailHandlers) deleteGuardrail(r *request) error {
	if err := r.service().GuardrailPlugins().Delete(r.ctx(), r.who, r.Param("id"), ""); err != nil {
		return err
	}
	return r.done("/guardrail-plugins", "The guardrail plugin is deleted. It is not asked any more.")
}
