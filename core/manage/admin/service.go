package admin

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/schemas"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Auditor writes the events of the audit chain.
type Auditor interface {
	Append(ctx context.Context, e audit.Event) error
	Sync(ctx context.Context) error
}

// License reports what the licence of the installation permits.
type License interface {
	// IsLicensed reports whether a feature is unlocked.
	IsLicensed(feature string) bool
	// AllowsMoreTenants reports whether another tenant may be created when there are n.
	AllowsMoreTenants(n int) bool
}

// Plane is the part of the running gateway that operations need.
type Plane interface {
	// ApplyChanges makes the gateway reload records at once.
	ApplyChanges()
	// Routes returns the routes of the configuration file.
	Routes() []Route
	// CheckRoute returns why a route cannot work with the configured providers, or nil.
	CheckRoute(r route.Route) error
	// FindCapabilities returns the capabilities of a provider, or false if the name is unknown.
	FindCapabilities(provider string) (route.Capabilities, bool)
	// Latencies returns the latencies measured recently.
	Latencies() []route.LatencyRecord
	// ResolveLayout applies a layout to the chain of the configuration file. nil applies none.
	ResolveLayout(l *config.Layout) (ArrangedChain, error)
	// CheckAdded builds the stages that a layout adds, and returns why the settings of one are wrong.
	CheckAdded(l *config.Layout) error
	// Priority counts the running exchanges by tier.
	Priority() route.PriorityStats
}

// Options contains the dependencies of a Service. All are required unless a comment says otherwise.
type Options struct {
	Store   *store.DB
	Audit   Auditor
	License License
	Plane   Plane
	Folder  PluginFolder
	Ledger  Ledger
	// StageForms are the stages that can be added to the chain. Optional.
	StageForms []StageForm
	// Tools are the MCP servers. Optional.
	Tools ToolServers
	// Upstreams are the running providers, and ProviderBox seals the credentials of stored ones. Optional: without them, providers
	// can neither be changed nor tested.
	Upstreams   Upstreams
	ProviderBox Box
	// Peers are the agents in force. Optional: without them the API shows only the stored records.
	Peers AgentDirectory
	// AgentBox seals the headers of agents, ServerBox those of MCP servers.
	AgentBox, ServerBox Box
	// PolicyService implements the operations on policies.
	PolicyService *policies.Service
	NewID         func() string
	Now           func() time.Time
	// WebhookBox seals the secrets of webhooks, PluginBox those of guardrail plugins.
	WebhookBox, PluginBox Box
	Subscribers           Subscribers
	// CheckSchema returns the error in an output schema with its position.
	CheckSchema func(r schemas.Record) error
	Vault       Vault
	// KeyGrace is how long a rotated key still authenticates.
	KeyGrace time.Duration
	// LicenseKeeper reads and checks the licence behind License.
	LicenseKeeper *LicenseKeeper
	// AuditKey signs the audit chains.
	AuditKey []byte
	// Version is the version of the program, for reports.
	Version string
	// GuardExports reports whether exports through the API need consent, as exports through the console always do. Optional.
	GuardExports func() bool
}

// Service gives access to the operations by subject. It is safe for concurrent use. Errors that a client may read are
// core.Errors.
type Service struct{ Options }

// New returns a service.
func New(o Options) *Service {
	if o.Ledger == nil {
		o.Ledger = noLedger{}
	}
	return &Service{o}
}

// authorize checks the permission p for the tenant that a request names, "" if it names none. It returns the tenant to
// which the operation applies; "" means all tenants.
func (s *Service) authorize(ctx context.Context, who *auth.Actor, p auth.Permission, tenant string) (string, error) {
	reach, ok := who.FindReach(tenant)
	if !ok {
		var e audit.Payload
		e.AddStr("actor", who.ID)
		e.AddStr("permission", string(p))
		e.AddStr("named", tenant)
		if err := s.writeEvent(ctx, who.Tenant, audit.TenantScopeViolation, &e); err != nil {
			return "", err
		}
		return "", &core.Error{
			Kind:   core.Forbidden,
			Code:   CodeTenantScope,
			Public: "your roles do not cover the named tenant; omit the tenant to use your own",
		}
	}
	if !who.Can(p) {
		return "", NewMissingRoleError(p)
	}
	return reach, nil
}

// writeEvent writes an audit event, which is durable when it returns.
func (s *Service) writeEvent(ctx context.Context, tenant, kind string, p *audit.Payload) error {
	if err := s.Audit.Append(ctx, audit.Event{Tenant: tenant, Type: kind, Payload: p.Bytes()}); err != nil {
		return newAuditUnavailableError(err)
	}
	if err := s.Audit.Sync(ctx); err != nil {
		return newAuditUnavailableError(err)
	}
	return nil
}

// The actions in audit events of changes.
const (
	created = "create"
	updated = "update"
	deleted = "delete"

	signedOut = "sign out"
)

// publishChange writes the audit event of a stored change and makes the gateway reload. was and now are views of the record
// before and after the change; nil if it did not exist. Without both, the event does not say what changed.
func (s *Service) publishChange(ctx context.Context, who *auth.Actor, action, resource, id, tenant string, was, now any) error {
	s.Plane.ApplyChanges()
	var e audit.Payload
	e.AddStr("actor", who.ID)
	e.AddStr("action", action)
	e.AddStr("resource", resource)
	e.AddStr("id", id)
	if err := addChanges(&e, resource, was, now); err != nil {
		return err
	}
	return s.writeEvent(context.WithoutCancel(ctx), tenant, audit.ConfigChanged, &e)
}
