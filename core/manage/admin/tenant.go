package admin

import (
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
)

// The states of a tenant.
const (
	TenantActive    = "active"
	TenantSuspended = "suspended"
)

// Tenant is a customer of the gateway. The console calls it a workspace.
type Tenant struct {
	ID        string         `json:"id" example:"k3vqx7mz2hj4n6ta"`
	Name      string         `json:"name" example:"Research"`
	Status    string         `json:"status" enum:"active,suspended"`
	Region    string         `json:"region,omitempty" doc:"The region in which its requests should stay." example:"eu-central"`
	Tier      string         `json:"tier" enum:"premium,standard,bulk" doc:"The tier of keys without their own tier."`
	Metadata  map[string]any `json:"metadata" doc:"Free-form notes of operators. A change replaces all of them. hosted_tools is the tenant's rule for tools that run at the provider: refuse, strip or pass."`
	Tags      []string       `json:"tags,omitempty" nullable:"false"`
	Template  KeyTemplate    `json:"key_template" doc:"Limits of the keys that developers of the tenant create and change."`
	Source    string         `json:"source" enum:"api,file,cli" doc:"Where the record is stored. A record of the configuration file can only be changed there."`
	CreatedAt time.Time      `json:"created_at"`
	UpdatedAt time.Time      `json:"updated_at"`
}

// TenantChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new tenant.
type TenantChange struct {
	Name     *string         `json:"name,omitempty" minLength:"1" maxLength:"200"`
	Status   *string         `json:"status,omitempty" enum:"active,suspended"`
	Region   *string         `json:"region,omitempty" maxLength:"64"`
	Tier     *string         `json:"tier,omitempty" enum:"premium,standard,bulk"`
	Metadata *map[string]any `json:"metadata,omitempty"`
	Tags     *[]string       `json:"tags,omitempty" nullable:"false" maxItems:"64"`
	Template *KeyTemplate    `json:"key_template,omitempty" doc:"Limits of the keys that developers of the tenant create and change. It replaces the whole template."`
}

func (c *TenantChange) apply(t *store.Tenant) error {
	if c.Name != nil {
		if strings.TrimSpace(*c.Name) == "" {
			return newInvalidValueError("name", "write a name of 1 to 200 characters")
		}
		t.Name = *c.Name
	}
	if c.Status != nil {
		t.Status = *c.Status
	}
	if c.Region != nil {
		t.Region = *c.Region
	}
	if c.Tier != nil {
		t.Tier = *c.Tier
	}
	if c.Metadata != nil {
		if err := hosted.CheckMetadata(*c.Metadata); err != nil {
			return newInvalidValueError("metadata."+hosted.Key, "%v", err)
		}
		t.Metadata = *c.Metadata
	}
	if c.Tags != nil {
		t.Tags = *c.Tags
	}
	if c.Template != nil {
		if err := checkModelPatterns("key_template.models", c.Template.Models); err != nil {
			return err
		}
		t.KeyTemplate = c.Template.buildRecord()
	}
	return nil
}

// Create creates a tenant.
func (s Tenants) Create(ctx context.Context, who *auth.Actor, c TenantChange) (Tenant, error) {
	if _, err := s.svc.authorize(ctx, who, auth.TenantsCreate, ""); err != nil {
		return Tenant{}, err
	}
	if c.Name == nil {
		return Tenant{}, newMissingFieldError("name")
	}
	t := store.Tenant{ID: s.svc.NewID(), Status: TenantActive, Source: store.SourceAPI}
	if err := c.apply(&t); err != nil {
		return Tenant{}, err
	}
	t, err := s.svc.Store.Tenants().Add(ctx, t, func(n int) error {
		if s.svc.License.AllowsMoreTenants(n) {
			return nil
		}
		return &core.Error{
			Kind:   core.Forbidden,
			Code:   CodeTenantLimit,
			Public: "without a valid licence at most 3 tenants are allowed; set a licence or delete a tenant",
		}
	})
	if err != nil {
		return Tenant{}, err
	}
	return viewTenant(&t), s.svc.publishChange(ctx, who, created, "tenant", t.ID, t.ID, nil, viewTenant(&t))
}

// List lists the tenants that the actor may see.
func (s Tenants) List(ctx context.Context, who *auth.Actor, page Page) (List[Tenant], error) {
	own, err := s.svc.authorize(ctx, who, auth.TenantsRead, "")
	if err != nil {
		return List[Tenant]{}, err
	}
	cursor := func(t Tenant) string { return formatCursor(t.CreatedAt, t.ID) }
	if own != "" {
		t, err := s.svc.Store.Tenants().Get(ctx, own)
		if err != nil {
			return List[Tenant]{}, mapNotFound(err, "tenant")
		}
		return newList([]Tenant{viewTenant(&t)}, page, cursor)
	}
	after, err := page.parseCursor()
	return List[Tenant]{Cursor: cursor, All: viewRecords(s.svc.Store.Tenants().Iterate(ctx, after, page.Limit), viewTenant)}, err
}

// Get returns a tenant.
func (s Tenants) Get(ctx context.Context, who *auth.Actor, id string) (Tenant, error) {
	if _, err := s.svc.authorize(ctx, who, auth.TenantsRead, id); err != nil {
		return Tenant{}, err
	}
	t, err := s.svc.Store.Tenants().Get(ctx, id)
	return viewTenant(&t), mapNotFound(err, "tenant")
}

// Update changes the given fields. An admin of the tenant cannot change what the platform decides on: its status, tier,
// region and tags, and its rule for hosted tools.
func (s Tenants) Update(ctx context.Context, who *auth.Actor, id string, c TenantChange, m Match) (Tenant, error) {
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.TenantsUpdate, id); err != nil {
		return Tenant{}, err
	}
	if who.Tenant != "" && (c.Status != nil || c.Tier != nil) {
		return Tenant{}, NewMissingRoleError(auth.TenantsCreate)
	}
	t, err := s.svc.Store.Tenants().Change(ctx, id, func(t *store.Tenant) error {
		if err := checkSource(t.Source); err != nil {
			return err
		}
		if err := m.Check(was.storeView(viewTenant(t))); err != nil {
			return err
		}
		if who.Tenant != "" && (c.Region != nil && *c.Region != t.Region || c.Tags != nil && !slices.Equal(*c.Tags, t.Tags) ||
			c.Metadata != nil && hosted.ReadRule(*c.Metadata) != hosted.ReadRule(t.Metadata)) {
			return NewMissingRoleError(auth.TenantsCreate)
		}
		return c.apply(t)
	})
	if err != nil {
		return Tenant{}, mapNotFound(err, "tenant")
	}
	return viewTenant(&t), s.svc.publishChange(ctx, who, updated, "tenant", id, id, was.view, viewTenant(&t))
}

// Delete removes a tenant and its keys, which stop working at once.
func (s Tenants) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.TenantsDelete, id); err != nil {
		return err
	}
	err := s.svc.Store.Tenants().Delete(ctx, id, func(t store.Tenant) error {
		if err := checkSource(t.Source); err != nil {
			return err
		}
		return m.Check(was.storeView(viewTenant(&t)))
	})
	if err != nil {
		return mapNotFound(err, "tenant")
	}
	return s.svc.publishChange(ctx, who, deleted, "tenant", id, id, was.view, nil)
}

func viewTenant(t *store.Tenant) Tenant {
	v := Tenant{
		ID: t.ID, Name: t.Name, Status: t.Status, Region: t.Region, Tier: t.Tier, Metadata: t.Metadata, Tags: t.Tags,
		Template: viewKeyTemplate(t.KeyTemplate), Source: describeSource(t.Source), CreatedAt: t.CreatedAt, UpdatedAt: t.UpdatedAt,
	}
	if v.Metadata == nil {
		v.Metadata = map[string]any{}
	}
	if v.Tier == "" {
		v.Tier = string(config.TierStandard)
	}
	return v
}

// describeSource returns where a record is stored, in the terms of the API.
func describeSource(kept string) string {
	if checkSource(kept) == nil {
		return kept
	}
	return store.SourceFile
}
