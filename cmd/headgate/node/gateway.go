package node

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/gateway/shadow"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools/offered"
	"github.com/headgate-dev/headgate/core/records/capture"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// gateway is a running gateway: its records, and the snapshot in force.
type gateway struct {
	flags *Options
	// terminal shows secrets such as new keys to the person who starts the gateway. They never go to the log.
	terminal  io.Writer
	tel       *telemetry.Telemetry
	rec       *Records
	state     state.Backend
	dir       *folder
	artifacts artifacts
	answers   proxy.AnswerMemory
	judges    atomic.Pointer[proxy.Proxy] // asks judge models; nil until the gateway listens
	verdicts  *chain.Memory               // of the links, for as long as the process runs
	pol       *policySource

	hooks      *hooks
	consents   *approvals
	pins       *toolPins
	snaps      snapshot.Holder
	began      time.Time
	clientAuth *auth.Authenticator     // of the data plane
	note       func(why string)        // requests a reload
	wake       chan struct{}           // signals that this process has changed records
	drain      *atomic.Pointer[func()] // what precedes the shutdown; see newDrainContext

	recent  *recent.Ring      // recent exchanges; nil if not served
	shadow  *shadow.Log       // results of links in shadow mode
	capture *capture.Recorder // nil if capture is off
	offered *offered.Memory   // of tools to models
	entry   entry             // console sign-in
	site    string            // address of the console, or ""
	admins  *auth.Admin       // nil until the gateway listens, and in roles without administration

	// announce creates the keys that the file leaves empty and prints them. It is nil until the gateway listens.
	announce func(ctx context.Context, cfg *config.Config, first bool) error

	making  sync.Mutex // held while a runtime is built, which may take long
	folding sync.Mutex // held while the plugins folder changes, so that its files stay consistent

	mu    sync.Mutex // guards the fields below; held only briefly
	cfg   *config.Config
	rt    *snapshot.Runtime
	known traffic

	mockBatches backend.Local // nil until a mock provider exists
	layout      int64         // version of the chain layout
	version     int64         // of the records in the snapshot
	keys        *auth.Keys    // of that version
	owed        map[int]bool  // takers, by index, whose last take failed
	warnings    []string      // of the configuration in force
	badRoutes   string        // why routes of the database are omitted
	providersAt string        // fingerprint of the stored providers that were read last
	// storedProviders are those of the runtime in force.
	storedProviders *storedProviders
	unreachable     []string       // providers that no route names, as last logged
	refused         string         // why the newest configuration is not in force
	turns           map[string]int // plugin events by type
}

// reload reads the configuration, builds all of it and puts it in force. If anything fails, the configuration in force
// stays, and the log, the status document and the metrics report the reason. A shutdown that cancels ctx abandons the reload;
// the configuration is not refused then.
func (g *gateway) reload(ctx context.Context, why string) error {
	g.making.Lock()
	defer g.making.Unlock()
	err := g.rebuild(ctx)
	if err != nil && ctx.Err() != nil {
		g.tel.Log.Info().Str("cause", why).Msg("a reload was abandoned: the gateway shuts down")
		return err
	}
	g.tel.RecordReload(err == nil)
	if err != nil {
		g.reportRefused(err, why)
		return err
	}
	ctx = context.WithoutCancel(ctx) // the configuration is in force; the rest only reports it
	if writesFile(g, g.cfg) {
		if err := releaseTenants(ctx, g.rec.DB, g.cfg); err != nil {
			g.tel.Log.Error().Err(err).Msg("tenants that the file no longer names could not be handed to the API; the next reload tries again")
		}
	}
	if g.announce != nil {
		if err := g.announce(ctx, g.cfg, false); err != nil {
			g.tel.Log.Error().Err(err).Msg("keys that the configuration leaves empty could not be created")
		}
	}
	g.watchPluginEvents(ctx) // only now: a version loaded for a refused configuration is not in force
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused = ""
	g.tel.Log.Info().Str("cause", why).Int("links", countWrittenLinks(g.rt.Chain)).Int64("config_version",
		g.version).Msg("configuration in force")
	for _, p := range g.listProblems() {
		g.tel.Log.Warn().Str("file", p.File).Str("digest", p.Digest).Str("serving", p.Serving).Str("reason", p.Reason).
			Msg("the file of a plugin in the plugins folder is refused")
	}
	return nil
}

// reportRefused reports that the newest configuration is not in force.
func (g *gateway) reportRefused(err error, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused = err.Error()
	g.tel.Log.Error().Err(err).Str("cause", why).Msg("the new configuration is refused; the last good one stays in force")
}

// syncFile writes the tenants and keys of the file to the database. On a node the control plane does that, and for a
// console the gateways do.
func (g *gateway) syncFile(ctx context.Context, cfg *config.Config) error {
	if !writesFile(g, cfg) {
		return nil
	}
	err := syncTenants(ctx, g.rec.DB, cfg)
	if err == nil && cfg.Role.Administers() {
		err = advanceVersion(ctx, g.rec, cfg)
	}
	return err
}

// swap builds a snapshot of the runtime and the keys and puts it in force. The caller holds g.mu.
func (g *gateway) swap(ctx context.Context) error {
	v, err := g.rec.DB.Config().ReadVersion(ctx)
	if err != nil {
		return err
	}
	keys, err := loadKeys(ctx, g.rec.DB, g.cfg)
	if err != nil {
		return err
	}
	g.version, g.keys, g.owed = v, keys, markTakersDue()
	g.snaps.Swap(snapshot.New(g.rt, keys, v))
	return nil
}

// close closes the gateway's parts in dependency order.
func (g *gateway) close(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var errs []error
	if g.rt != nil {
		g.snaps.Swap(nil)
		g.rt.Release()
		errs = append(errs, g.rt.WaitUntilClosed(ctx))
	}
	if g.hooks != nil {
		g.hooks.close(ctx)
	}
	g.shadow.Close()
	errs = append(errs, g.capture.Close(ctx))
	if g.state != nil {
		errs = append(errs, g.state.Close(ctx))
	}
	if g.admins != nil {
		g.admins.Close()
	}
	return errors.Join(append(errs, g.rec.Close(ctx))...)
}
