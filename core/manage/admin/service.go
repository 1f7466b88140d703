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

// License says what the installation may do.
type License interface {
	// Licensed reports whether a feature is unlocked.
	Licensed(feature string) bool
	// MoreTenants reports whether one more tenant may be made where there are n.
	MoreTenants(n int) bool
}

// Plane is the running gateway, as far as operations reach into it.
type Plane interface {
	// Changed says that records have changed: they are taken up at once.
	Changed()
	// Routes are those of the configuration file.
	Routes() []Route
	// CheckRoute answers what is wrong with a route for the configured providers.
	CheckRoute(r route.Route) error
	// Capabilities are those of a provider; false: there is none with the name.
	Capabilities(provider string) (route.Capabilities, bool)
	// Latencies are those measured of late.
	Latencies() []route.LatencyRecord
	// Arrange answers the chain that a layout makes of the configuration file, nil being none, or what is wrong with it.
	Arrange(l *config.Layout) (Arranged, error)
	// Priority says how many exchanges run, by tier.
	Priority() route.PriorityStats
}

// Options are what the operations work with. All are needed.
type Options struct {
	Store   *store.DB
	Audit   Auditor
	License License
	Plane   Plane
	Folder  PluginFolder
	Ledger  Ledger
	// PolicyService are the operations on policies.
	PolicyService *policies.Service
	NewID         func() string
	Now           func() time.Time
	// WebhookBox seals the secrets of subscriptions, PluginBox those of guardrail plugins; nil: there is no master password.
	WebhookBox, PluginBox Box
	Subscribers           Subscribers
	// CheckSchema says what is wrong with an output schema, and where.
	CheckSchema func(r schemas.Record) error
	Vault       Vault
	// KeyGrace is how long a key that was rotated still authenticates.
	KeyGrace time.Duration
	// LicenseKeeper is the licence that License speaks for.
	LicenseKeeper *LicenseKeeper
	// AuditKey is what the audit chains are signed with.
	AuditKey []byte
	// Version is that of the program, for reports.
	Version string
	// GuardExports reports whether exports of audit events by the API need the consent that those of the console need
	// always. It may be nil: they do not.
	GuardExports func() bool
}

// Service are the operations. Its methods may be called from any goroutine, and their errors are core.Errors, or faults.
type Service struct{ Options }

// New makes the service.
func New(o Options) *Service {
	if o.Ledger == nil {
		o.Ledger = noLedger{}
	}
	return &Service{o}
}

// allow reports who may do what p names to records of the tenant that a request names, "" when it names none. It answers
// the tenant to go on with: "" is every tenant.
func (s *Service) allow(ctx context.Context, who *auth.Actor, p auth.Permission, tenant string) (string, error) {
	reach, ok := who.Reach(tenant)
	if !ok {
		var e audit.Payload
		e.Str("actor", who.ID)
		e.Str("permission", string(p))
		e.Str("named", tenant)
		if err := s.writeEvent(ctx, who.Tenant, audit.TenantScopeViolation, &e); err != nil {
			return "", err
		}
		return "", &core.Error{Kind: core.Forbidden, Code: CodeTenantScope, Public: "your roles are for another tenant than the one that is named; leave it out to mean your own"}
	}
	if !who.Can(p) {
		return "", MissingRole(p)
	}
	return reach, nil
}

// writeEvent writes an event that is durable when tell returns.
func (s *Service) writeEvent(ctx context.Context, tenant, kind string, p *audit.Payload) error {
	if err := s.Audit.Append(ctx, audit.Event{Tenant: tenant, Type: kind, Payload: p.Bytes()}); err != nil {
		return auditUnavailable(err)
	}
	if err := s.Audit.Sync(ctx); err != nil {
		return auditUnavailable(err)
	}
	return nil
}

// The actions that events of changes name.
const (
	created = "create"
	updated = "update"
	deleted = "delete"

	signedOut = "sign out"
)

// publishChange tells the audit chain of a change that is stored, and the gateway to take it up.
func (s *Service) publishChange(ctx context.Context, who *auth.Actor, action, resource, id, tenant string) error {
	s.Plane.Changed()
	var e audit.Payload
	e.Str("actor", who.ID)
	e.Str("action", action)
	e.Str("resource", resource)
	e.Str("id", id)
	return s.writeEvent(context.WithoutCancel(ctx), tenant, audit.ConfigChanged, &e)
}
