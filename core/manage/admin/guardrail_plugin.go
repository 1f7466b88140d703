package admin

import (
	"context"
	"net/http"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// CodeMasterPassword is the code of a refusal to seal a secret without the master password.
const CodeMasterPassword = "MASTER_PASSWORD_REQUIRED"

// Ways in which a plugin fails, and runs.
const (
	failClosed    = "CLOSED"
	modeEnforce   = "enforce"
	pluginTimeout = 5000 // ms
)

// GuardrailPlugin is a guard over HTTP. Its secret is never shown.
type GuardrailPlugin struct {
	ID            string     `json:"id"`
	Name          string     `json:"name"`
	TenantID      string     `json:"tenant_id,omitempty" doc:"Left out: of the platform, for every tenant."`
	URL           string     `json:"url"`
	TimeoutMS     int64      `json:"timeout_ms"`
	FailMode      string     `json:"fail_mode" enum:"CLOSED,OPEN" doc:"CLOSED: a failure refuses the exchange. OPEN: it counts as an empty result."`
	Mode          string     `json:"mode" enum:"enforce,shadow" doc:"shadow: it is sent copies, and changes nothing."`
	Status        string     `json:"status" enum:"Enabled,Disabled"`
	PreviousUntil *time.Time `json:"previous_secret_until,omitempty" doc:"How long the secret before still signs a second header."`
	CreatedAt     time.Time  `json:"created_at"`
	UpdatedAt     time.Time  `json:"updated_at"`
}

// NewGuardrailPlugin are the fields of a plugin to be made.
type NewGuardrailPlugin struct {
	Name      string `json:"name" minLength:"1" maxLength:"200" doc:"No other plugin has it."`
	TenantID  string `json:"tenant_id,omitempty" maxLength:"128" doc:"For this tenant's exchanges alone."`
	URL       string `json:"url" minLength:"1" maxLength:"2048" doc:"Where the guard is asked: https, unless the operator allows more."`
	Secret    string `json:"secret" minLength:"16" maxLength:"512" writeOnly:"true" doc:"Signs calls and checks replies. It is stored sealed, and never shown."`
	TimeoutMS *int64 `json:"timeout_ms,omitempty" minimum:"1" maximum:"60000" doc:"5000 unless sent."`
	FailMode  string `json:"fail_mode,omitempty" enum:"CLOSED,OPEN" doc:"CLOSED unless sent."`
	Mode      string `json:"mode,omitempty" enum:"enforce,shadow" doc:"enforce unless sent."`
	Enabled   *bool  `json:"enabled,omitempty" doc:"True unless sent."`
}

// GuardrailPluginChange are the fields that a request sends of a plugin; nil: as they are.
type GuardrailPluginChange struct {
	Name      *string `json:"name,omitempty" minLength:"1" maxLength:"200"`
	URL       *string `json:"url,omitempty" minLength:"1" maxLength:"2048"`
	TimeoutMS *int64  `json:"timeout_ms,omitempty" minimum:"1" maximum:"60000"`
	FailMode  *string `json:"fail_mode,omitempty" enum:"CLOSED,OPEN"`
	Mode      *string `json:"mode,omitempty" enum:"enforce,shadow"`
	Enabled   *bool   `json:"enabled,omitempty"`
}

// box is the box of plugins' secrets, or the refusal of an installation without the master password.
func (s GuardrailPlugins) box() (Box, error) {
	if s.svc.PluginBox == nil {
		return nil, &core.Error{
			Kind: core.InvalidRequest, Status: http.StatusBadRequest, Code: CodeMasterPassword,
			Public: "the secret cannot be encrypted: set HEADGATE_ENCRYPTION_MASTER_PASSWORD and restart the gateway",
		}
	}
	return s.svc.PluginBox, nil
}

func (s GuardrailPlugins) check(p *store.GuardrailPlugin) error {
	if strings.TrimSpace(p.Name) == "" {
		return invalidValue("name", "write a name of 1 to 200 characters")
	}
	if err := s.svc.Subscribers.Check(p.URL); err != nil {
		return invalidValue("url", "%s", err)
	}
	return nil
}

// Create makes a plugin. It is asked from then on, unless it is sent as disabled.
func (s GuardrailPlugins) Create(ctx context.Context, who *auth.Actor, n NewGuardrailPlugin) (GuardrailPlugin, error) {
	tenant, err := s.svc.allow(ctx, who, auth.GuardrailsWrite, n.TenantID)
	if err != nil {
		return GuardrailPlugin{}, err
	}
	box, err := s.box()
	if err != nil {
		return GuardrailPlugin{}, err
	}
	if err := s.svc.checkTenant(ctx, &tenant); err != nil {
		return GuardrailPlugin{}, err
	}
	p := store.GuardrailPlugin{
		ID: s.svc.NewID(), Tenant: tenant, Name: n.Name, URL: n.URL, Timeout: pluginTimeout * time.Millisecond, FailMode: failClosed, Mode: modeEnforce,
		Enabled: n.Enabled == nil || *n.Enabled,
	}
	if n.TimeoutMS != nil {
		p.Timeout = time.Duration(*n.TimeoutMS) * time.Millisecond
	}
	if n.FailMode != "" {
		p.FailMode = n.FailMode
	}
	if n.Mode != "" {
		p.Mode = n.Mode
	}
	if err := s.check(&p); err != nil {
		return GuardrailPlugin{}, err
	}
	if err := checkSecret(n.Secret); err != nil {
		return GuardrailPlugin{}, err
	}
	p.Secret = box.Seal([]byte(n.Secret), p.ID)
	if p, err = s.svc.Store.GuardrailPlugins().Insert(ctx, p); err != nil {
		return GuardrailPlugin{}, mapTaken(err, "guardrail plugin")
	}
	return viewPlugin(&p), s.publish(ctx, who, audit.GuardrailPluginCreated, created, &p)
}

// publish tells of a change by the event that the specification names for it.
func (s GuardrailPlugins) publish(ctx context.Context, who *auth.Actor, event, action string, p *store.GuardrailPlugin) error {
	s.svc.Plane.Changed()
	var e audit.Payload
	e.Str("actor", who.ID)
	e.Str("action", action)
	e.Str("resource", "guardrail_plugin")
	e.Str("id", p.ID)
	e.Str("name", p.Name)
	return s.svc.writeEvent(context.WithoutCancel(ctx), p.Tenant, event, &e)
}

// List lists plugins, of one tenant or all.
func (s GuardrailPlugins) List(ctx context.Context, who *auth.Actor, tenant string, page Page) (List[GuardrailPlugin], error) {
	tenant, err := s.svc.allow(ctx, who, auth.GuardrailsRead, tenant)
	if err != nil {
		return List[GuardrailPlugin]{}, err
	}
	after, err := page.cursor()
	return List[GuardrailPlugin]{
		Cursor: func(p GuardrailPlugin) string { return cursorOf(p.CreatedAt, p.ID) },
		All:    viewEach(s.svc.Store.GuardrailPlugins().EachOf(ctx, tenant, after, page.Limit), viewPlugin),
	}, err
}

// Get is one plugin.
func (s GuardrailPlugins) Get(ctx context.Context, who *auth.Actor, id string) (GuardrailPlugin, error) {
	own, err := s.svc.allow(ctx, who, auth.GuardrailsRead, "")
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

// Update changes the fields that are sent.
func (s GuardrailPlugins) Update(ctx context.Context, who *auth.Actor, id string, c GuardrailPluginChange, m Match) (GuardrailPlugin, error) {
	return s.change(ctx, who, auth.GuardrailsWrite, id, audit.GuardrailPluginUpdated, updated, m, func(p *store.GuardrailPlugin) error {
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
	})
}

// SetEnabled has a plugin asked, or not any more.
func (s GuardrailPlugins) SetEnabled(ctx context.Context, who *auth.Actor, id string, enabled bool, m Match) (GuardrailPlugin, error) {
	return s.Update(ctx, who, id, GuardrailPluginChange{Enabled: &enabled}, m)
}

// RotateSecret replaces the secret of a plugin: the new one signs at once, and the one before signs a second
// header for a while.
func (s GuardrailPlugins) RotateSecret(ctx context.Context, who *auth.Actor, id string, r Rotation, m Match) (GuardrailPlugin, error) {
	if _, err := s.svc.allow(ctx, who, auth.GuardrailsRotate, ""); err != nil {
		return GuardrailPlugin{}, err
	}
	box, err := s.box()
	if err != nil {
		return GuardrailPlugin{}, err
	}
	if err := checkSecret(r.Secret); err != nil {
		return GuardrailPlugin{}, err
	}
	return s.change(ctx, who, auth.GuardrailsRotate, id, audit.GuardrailPluginRotated, "rotate", m, func(p *store.GuardrailPlugin) error {
		r.rotate(&p.Secrets, box, p.ID, s.svc.Now())
		return nil
	})
}

func (s GuardrailPlugins) change(ctx context.Context, who *auth.Actor, perm auth.Permission, id, event, action string, m Match, change func(p *store.GuardrailPlugin) error) (GuardrailPlugin, error) {
	own, err := s.svc.allow(ctx, who, perm, "")
	if err != nil {
		return GuardrailPlugin{}, err
	}
	p, err := s.svc.Store.GuardrailPlugins().Change(ctx, id, func(p *store.GuardrailPlugin) error {
		if own != "" && p.Tenant != own {
			return store.ErrNotFound
		}
		if err := m.Check(viewPlugin(p)); err != nil {
			return err
		}
		return change(p)
	})
	if err != nil {
		return GuardrailPlugin{}, mapTaken(err, "guardrail plugin")
	}
	return viewPlugin(&p), s.publish(ctx, who, event, action, &p)
}

// Delete removes a plugin. It is asked no more.
func (s GuardrailPlugins) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	own, err := s.svc.allow(ctx, who, auth.GuardrailsWrite, "")
	if err != nil {
		return err
	}
	p, err := s.svc.Store.GuardrailPlugins().Delete(ctx, id, func(p store.GuardrailPlugin) error {
		if own != "" && p.Tenant != own {
			return store.ErrNotFound
		}
		return m.Check(viewPlugin(&p))
	})
	if err != nil {
		return mapNotFound(err, "guardrail plugin")
	}
	return s.publish(ctx, who, audit.GuardrailPluginDeleted, deleted, &p)
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
