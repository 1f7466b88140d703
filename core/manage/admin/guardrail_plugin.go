package admin

import (
	"cmp"
	"context"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// The failure modes and run modes of a plugin.
const (
	failClosed    = "CLOSED"
	modeEnforce   = "enforce"
	pluginTimeout = 5000 // ms
)

// GuardrailPlugin is a guardrail that is called over HTTP. Its secret is never shown.
type GuardrailPlugin struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	TenantID      string     `json:"tenant_id,omitempty" doc:"Omitted: a record of the platform, for all tenants."`
	URL           string     `json:"url"`
	TimeoutMS     int64      `json:"timeout_ms"`
	FailMode      string     `json:"fail_mode" enum:"CLOSED,OPEN" doc:"CLOSED: a failed call blocks the exchange. OPEN: it counts as an empty result."`
	Mode          string     `json:"mode" enum:"enforce,shadow" doc:"shadow: the plugin receives copies and changes nothing."`
	Status        string     `json:"status" enum:"Enabled,Disabled"`
	PreviousUntil *time.Time `json:"previous_secret_until,omitempty" doc:"Until when the previous secret signs a second header."`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

// NewGuardrailPlugin contains the fields of a new plugin.
// Its own type: generated clients require what creation requires; in a change every field is optional.
type NewGuardrailPlugin struct {
	Name      string `json:"name" minLength:"1" maxLength:"200" doc:"Unique among the plugins."`
	TenantID  string `json:"tenant_id,omitempty" maxLength:"128" doc:"Only for exchanges of this tenant."`
	URL       string `json:"url" minLength:"1" maxLength:"2048" doc:"The URL of the guardrail: https, unless the operator allows other schemes." example:"https://guards.example.com/check"`
	Secret    string `json:"secret" minLength:"16" maxLength:"512" writeOnly:"true" doc:"Signs calls and verifies replies. It is stored sealed and never shown."`
	TimeoutMS *int64 `json:"timeout_ms,omitempty" minimum:"1" maximum:"60000" doc:"5000 by default."`
	FailMode  string `json:"fail_mode,omitempty" enum:"CLOSED,OPEN" doc:"CLOSED by default."`
	Mode      string `json:"mode,omitempty" enum:"enforce,shadow" doc:"enforce by default."`
	Enabled   *bool  `json:"enabled,omitempty" doc:"true by default."`
}

// GuardrailPluginChange contains the fields that a request sends. A nil field keeps its value.
type GuardrailPluginChange struct {
	Name      *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	URL       *string `json:"url,omitempty" minLength:"1" maxLength:"2048" example:"https://guards.example.com/check"`
	TimeoutMS *int64  `json:"timeout_ms,omitempty" minimum:"1" maximum:"60000"`
	FailMode  *string `json:"fail_mode,omitempty" enum:"CLOSED,OPEN"`
	Mode      *string `json:"mode,omitempty" enum:"enforce,shadow"`
	Enabled   *bool   `json:"enabled,omitempty"`
}

func (s GuardrailPlugins) check(p *store.GuardrailPlugin) error {
	if strings.TrimSpace(p.Name) == "" {
		return newInvalidValueError("name", "write a name of 1 to 200 characters")
	}
	if err := s.svc.Subscribers.CheckURL(p.URL); err != nil {
		return newInvalidValueError("url", "%s", err)
	}
	return nil
}

// Create creates a plugin. The gateway calls it from now on, unless it is disabled.
func (s GuardrailPlugins) Create(ctx context.Context, who *auth.Actor, n NewGuardrailPlugin) (GuardrailPlugin, error) {
	tenant, err := s.svc.authorize(ctx, who, auth.GuardrailsWrite, n.TenantID)
	if err != nil {
		return GuardrailPlugin{}, err
	}
	if err := s.svc.checkTenant(ctx, &tenant); err != nil {
		return GuardrailPlugin{}, err
	}
	p, err := s.build(s.svc.NewID(), tenant, &n)
	if err != nil {
		return GuardrailPlugin{}, err
	}
	if p, err = s.svc.Store.GuardrailPlugins().Insert(ctx, p); err != nil {
		return GuardrailPlugin{}, mapTaken(err, "guardrail plugin")
	}
	return viewPlugin(&p), s.publish(ctx, who, audit.GuardrailPluginCreated, created, &p, nil, viewPlugin(&p))
}

// build returns the record of a new plugin, if it may be stored.
func (s GuardrailPlugins) build(id, tenant string, n *NewGuardrailPlugin) (store.GuardrailPlugin, error) {
	p := store.GuardrailPlugin{
		ID: id, Tenant: tenant, Name: n.Name, URL: n.URL, Timeout: pluginTimeout * time.Millisecond,
		FailMode: cmp.Or(n.FailMode, failClosed), Mode: cmp.Or(n.Mode, modeEnforce), Enabled: n.Enabled == nil || *n.Enabled,
	}
	if n.TimeoutMS != nil {
		p.Timeout = time.Duration(*n.TimeoutMS) * time.Millisecond
	}
	if err := s.check(&p); err != nil {
		return p, err
	}
	if err := checkSecret(n.Secret); err != nil {
		return p, err
	}
	p.Secret = s.svc.PluginBox.Seal([]byte(n.Secret), p.ID)
	return p, nil
}

// publish writes the audit event that the specification names for a change and wakes the gateway.
func (s GuardrailPlugins) publish(
	ctx context.Context,
	who *auth.Actor,
	event, action string,
	p *store.GuardrailPlugin,
	was, now any,
) error {
	s.svc.Plane.ApplyChanges()
	var e audit.Payload
	e.AddStr("actor", who.ID)
	e.AddStr("action", action)
	e.AddStr("resource", "guardrail_plugin")
	e.AddStr("id", p.ID)
	e.AddStr("name", p.Name)
	if err := addChanges(&e, "guardrail_plugin", was, now); err != nil {
		return err
	}
	return s.svc.writeEvent(context.WithoutCancel(ctx), p.Tenant, event, &e)
}

// List lists the plugins of one tenant or of all.
func (s GuardrailPlugins) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[GuardrailPlugin], error) {
	tenant, err := s.svc.authorize(ctx, who, auth.GuardrailsRead, tenant)
	if err != nil {
		return List[GuardrailPlugin]{}, err
	}
	after, err := page.parseCursor()
	return List[GuardrailPlugin]{
		Cursor: func(p GuardrailPlugin) string { return formatCursor(p.CreatedAt, p.ID) },
		All:    viewRecords(s.svc.Store.GuardrailPlugins().ListByOwner(ctx, tenant, after, page.Limit), viewPlugin),
	}, err
}

// Get returns a plugin.
func (s GuardrailPlugins) Get(ctx context.Context, who *auth.Actor, id string) (GuardrailPlugin, error) {
	own, err := s.svc.authorize(ctx, who, auth.GuardrailsRead, "")
	if err != nil {
		return GuardrailPlugin{}, err
	}
	p, err := s.svc.Store.GuardrailPlugins().Get(ctx, id)
	if err == nil && own != "" && p.Tenant != own {
		err = store.ErrNotFound
	}
	if err != nil {
		return GuardrailPlugin{}, mapNotFound(err, "guardrail plugin")
	}
	return viewPlugin(&p), nil
}

// Update changes the given fields.
func (s GuardrailPlugins) Update(
	ctx context.Context,
	who *auth.Actor,
	id string,
	c GuardrailPluginChange,
	m Match,
) (GuardrailPlugin, error) {
	return s.change(ctx, who, auth.GuardrailsWrite, id, audit.GuardrailPluginUpdated, updated, m, func(p *store.GuardrailPlugin) error {
		return s.apply(p, &c)
	})
}

// apply changes a record, if it may be stored then.
func (s GuardrailPlugins) apply(p *store.GuardrailPlugin, c *GuardrailPluginChange) error {
	for _, f := range []struct{ to, from *string }{{&p.Name, c.Name}, {&p.URL, c.URL}, {&p.FailMode, c.FailMode}, {&p.Mode, c.Mode}} {
		if f.from != nil {
			*f.to = *f.from
		}
	}
	if c.TimeoutMS != nil {
		p.Timeout = time.Duration(*c.TimeoutMS) * time.Millisecond
	}
	if c.Enabled != nil {
		p.Enabled = *c.Enabled
	}
	return s.check(p)
}

// SetEnabled enables or disables a plugin.
func (s GuardrailPlugins) SetEnabled(ctx context.Context, who *auth.Actor, id string, enabled bool, m Match) (GuardrailPlugin, error) {
	return s.Update(ctx, who, id, GuardrailPluginChange{Enabled: &enabled}, m)
}

// RotateSecret replaces the secret of a plugin. The new one signs at once; the previous one signs a second header for a
// while.
func (s GuardrailPlugins) RotateSecret(ctx context.Context, who *auth.Actor, id string, r Rotation, m Match) (GuardrailPlugin, error) {
	if _, err := s.svc.authorize(ctx, who, auth.GuardrailsRotate, ""); err != nil {
		return GuardrailPlugin{}, err
	}
	if err := checkSecret(r.Secret); err != nil {
		return GuardrailPlugin{}, err
	}
	return s.change(ctx, who, auth.GuardrailsRotate, id, audit.GuardrailPluginRotated, "rotate", m, func(p *store.GuardrailPlugin) error {
		r.rotate(&p.Secrets, s.svc.PluginBox, p.ID, s.svc.Now())
		return nil
	})
}

func (s GuardrailPlugins) change(
	ctx context.Context,
	who *auth.Actor,
	perm auth.Permission,
	id, event, action string,
	m Match,
	change func(p *store.GuardrailPlugin) error,
) (GuardrailPlugin, error) {
	var was changedRecord
	own, err := s.svc.authorize(ctx, who, perm, "")
	if err != nil {
		return GuardrailPlugin{}, err
	}
	p, err := s.svc.Store.GuardrailPlugins().Change(ctx, id, func(p *store.GuardrailPlugin) error {
		if own != "" && p.Tenant != own {
			return store.ErrNotFound
		}
		if err := m.Check(was.storeView(viewPlugin(p))); err != nil {
			return err
		}
		return change(p)
	})
	if err != nil {
		return GuardrailPlugin{}, mapTaken(err, "guardrail plugin")
	}
	return viewPlugin(&p), s.publish(ctx, who, event, action, &p, was.view, viewPlugin(&p))
}

// Delete removes a plugin.
func (s GuardrailPlugins) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	own, err := s.svc.authorize(ctx, who, auth.GuardrailsWrite, "")
	if err != nil {
		return err
	}
	p, err := s.svc.Store.GuardrailPlugins().Delete(ctx, id, func(p store.GuardrailPlugin) error {
		if own != "" && p.Tenant != own {
			return store.ErrNotFound
		}
		return m.Check(was.storeView(viewPlugin(&p)))
	})
	if err != nil {
		return mapNotFound(err, "guardrail plugin")
	}
	return s.publish(ctx, who, audit.GuardrailPluginDeleted, deleted, &p, was.view, nil)
}

func viewPlugin(p *store.GuardrailPlugin) GuardrailPlugin {
	v := GuardrailPlugin{
		ID: p.ID, Name: p.Name, TenantID: p.Tenant, URL: p.URL, TimeoutMS: p.Timeout.Milliseconds(), FailMode: p.FailMode, Mode: p.Mode,
		Status: "Disabled", CreatedAt: p.CreatedAt, UpdatedAt: p.UpdatedAt,
	}
	if p.Enabled {
		v.Status = "Enabled"
	}
	if !p.PreviousUntil.IsZero() {
		v.PreviousUntil = &p.PreviousUntil
	}
	return v
}
