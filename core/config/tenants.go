package config

import "time"

// Tenant owns keys and everything recorded under them.
type Tenant struct {
	// ID identifies the tenant permanently: letters, digits, dot, dash and underscore.
	ID string `yaml:"id" required:"true" eg:"default"`
	// Name is the display name. Default: the id.
	Name string `yaml:"name" eg:"Default"`
	// Status `suspended` refuses the tenant's governed requests.
	Status TenantStatus `yaml:"status" default:"active"`
	// Region is where the tenant's requests should stay.
	Region string `yaml:"region" eg:"eu-central"`
	// Metadata is free for the operator's use. Its member hosted_tools is this tenant's rule for tools that run at the
	// provider: refuse, strip or pass.
	Metadata map[string]any `yaml:"metadata"`
	// Tags are labels for reports and policies.
	Tags []string `yaml:"tags" eg:"[internal]"`
	// Tier is the tenant's priority class.
	Tier Tier `yaml:"tier" default:"standard"`
	// Keys are the tenant's gateway keys defined in this file.
	Keys []Key `yaml:"keys"`
}

// Key is a gateway key.
type Key struct {
	// Name identifies the key within its tenant.
	Name string `yaml:"name" required:"true" eg:"dev"`
	// Key is the key itself: gw_ and at least 16 characters. If empty, the server creates one and prints it once.
	Key Secret `yaml:"key" secret:"true" eg:"${HEADGATE_DEV_KEY:-}"`
	// Scopes are the key's permissions. The empty list [] grants everything.
	Scopes []string `yaml:"scopes" default:"[completions:write]"`
	// ExpiresAt is when the key expires, in RFC 3339. Default: never.
	ExpiresAt time.Time `yaml:"expires_at" eg:"2027-01-31T00:00:00Z"`
	// Models are globs over the models that the key may ask for, as its clients write them. Default: all.
	Models []string `yaml:"models" eg:"[gpt-4o*]"`
	// Tags are labels for reports and policies.
	Tags []string `yaml:"tags" eg:"[batch]"`
	// Metadata is free for the operator's use.
	Metadata map[string]any `yaml:"metadata"`
	// Tier is the key's priority class. Default: the tenant's.
	Tier Tier `yaml:"tier"`
}

// TenantStatus is whether a tenant is served; "" is not set.
type TenantStatus string

// The tenant's states.
const (
	TenantActive    TenantStatus = "active"
	TenantSuspended TenantStatus = "suspended"
)

var _ choices = TenantStatus("")

// Values lists the accepted words.
func (TenantStatus) Values() []string { return []string{"active", "suspended"} }

// Tier is a priority class; "" is not set.
type Tier string

// The tiers.
const (
	TierPremium  Tier = "premium"
	TierStandard Tier = "standard"
	TierBulk     Tier = "bulk"
)

var _ choices = Tier("")

// Values lists the accepted words.
func (Tier) Values() []string { return []string{"premium", "standard", "bulk"} }
