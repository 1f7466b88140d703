package node

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/capture"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/stages"
)

// gateway is a running gateway: its records, and the snapshot in force.
type gateway struct {
	flags *Options
	// terminal shows secrets such as new keys to the person who starts the gateway. They never go to the log.
	terminal io.Writer
	tel      *telemetry.Telemetry
	rec      *Records
	state    state.Kept
	dir      *folder
	pol      *policySource

	hooks    *hooks
	consents *approvals
	snaps    snapshot.Holder
	began    time.Time
	door     *auth.Door              // of the data plane
	note     func(why string)        // asks for a reload
	wake     chan struct{}           // records have changed in this process
	drain    *atomic.Pointer[func()] // what precedes the shutdown; see drainBefore

	recent  *recent.Ring      // how the newest exchanges went; nil where none are served
	capture *capture.Recorder // nil: nothing is captured
	entry   entry             // of people, to the console
	site    string            // where the console is; "": nowhere
	admins  *auth.Admin       // nil until the gateway listens, and in roles without administration

	// announce makes keys that the file leaves empty and prints them; nil until the gateway listens.
	announce func(ctx context.Context, cfg *config.Config, first bool) error

	making  sync.Mutex // held while a runtime is made, which may take long
	folding sync.Mutex // held while the plugins folder is changed: its files belong together

	mu    sync.Mutex // guards what follows, and is never held for long
	cfg   *config.Config
	rt    *snapshot.Runtime
	known traffic

	mockBatches backend.Local  // nil until there is a mock
	layout      int64          // version of the chain's
	version     int64          // of the records that the snapshot was made of
	keys        *auth.Keys     // of that version
	owed        map[int]bool   // takers, by place, that have not taken the last change
	warnings    []string       // of the configuration in force
	badRoutes   string         // why routes of the database are left out
	refused     string         // why the newest configuration is not in force
	turns       map[string]int // events in the life of plugins, by type
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
	g.tel.Reload(err == nil)
	if err != nil {
		g.refuse(err, why)
		return err
	}
	ctx = context.WithoutCancel(ctx) // the configuration is in force: what is left reports it
	if g.announce != nil {
		if err := g.announce(ctx, g.cfg, false); err != nil {
			g.tel.Log.Error().Err(err).Msg("keys that the configuration leaves empty could not be created")
		}
	}
	g.pluginEvents(ctx) // not before: a version that was loaded for a refused configuration is not in force
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused = ""
	g.tel.Log.Info().Str("cause", why).Int("links", writtenLinks(g.rt.Chain)).Int64("config_version", g.version).Msg("configuration in force")
	for _, p := range g.problems() {
		g.tel.Log.Warn().Str("file", p.File).Str("digest", p.Digest).Str("serving", p.Serving).Str("reason", p.Reason).
			Msg("the file of a plugin in the plugins folder is refused")
	}
	return nil
}

// refuse reports that the newest configuration is not in force.
func (g *gateway) refuse(err error, why string) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.refused = err.Error()
	g.tel.Log.Error().Err(err).Str("cause", why).Msg("the new configuration is refused; the last good one stays in force")
}

func (g *gateway) rebuild(ctx context.Context) (err error) {
	kept, err := g.rec.DB.ChainLayouts().Get(ctx)
	if err != nil {
		return err
	}
	layout, err := admin.Layout(kept)
	if err != nil {
		return err
	}
	cfg, warnings, err := g.flags.loadArranged(layout)
	if err != nil {
		return err
	}
	if g.cfg != nil {
		if err := refuseRestartOnly(g.cfg, cfg); err != nil {
			return err
		}
	}
	file, err := FilePolicies(cfg)
	if err != nil {
		return err
	}
	stored, err := g.rec.DB.Policies().List(ctx)
	if err != nil {
		return err
	}
	view := g.pol.view(file, stored)
	restore, err := g.pluginRules(cfg)
	if err != nil {
		return err
	}
	defer func() {
		if err != nil {
			restore()
		}
	}()
	rt, err := buildRuntime(
		ctx,
		cfg,
		g.dir,
		stages.Host{
			Tokens:    tokens{g.rec.vault},
			State:     g.state,
			Notify:    g.notify,
			Policies:  view,
			Approvals: g.consents,
			Schemas:   g.hooks.schemas,
			Guards:    g.hooks.guards.Stage(),
		},
		g.logObserved,
		g.mayBeAbsent,
	)
	if err != nil {
		return err
	}
	if err := errors.Join(g.syncFile(ctx, cfg), g.seed(ctx, rt.Spending.List())); err != nil {
		rt.Release()
		return err
	}
	g.mu.Lock()
	defer g.mu.Unlock()
	g.known.attach(rt, cfg, rt.Prices.(*Prices))
	g.backends(rt, func(name string) string { return cfg.Providers[name].Type })
	g.layout = kept.Version
	oldConfig, old := g.cfg, g.rt
	g.cfg, g.rt = cfg, rt
	err = g.refreshMoney(ctx) // before the runtime serves: budgets of the database hold from its first exchange on
	if err == nil {
		err = g.swap(ctx)
	}
	if err != nil {
		rt.Release()
		g.cfg, g.rt = oldConfig, old
		return err
	}
	g.pol.adopt(view)
	if err := g.consents.refresh(ctx); err != nil {
		g.tel.Log.Error().Err(err).Msg("approvals could not be read; the last ones stay in force")
	}
	if err := g.refreshRoutes(ctx); err != nil {
		g.tel.Log.Error().Err(err).Msg("routes of the database could not be read; those of the file are in force")
	}
	if err := g.pol.refresh(ctx); err != nil { // what has changed while the runtime was made
		g.tel.Log.Error().Err(err).Msg("changed policies could not be read; the last ones stay in force")
	}
	g.warnings = nil
	for _, w := range warnings {
		g.warnings = append(g.warnings, w.String())
	}
	if old != nil {
		old.Release()
	}
	return nil
}

// syncFile brings what the file says into the database. A node's database is the control
// plane's to write, and a console's the gateways'.
func (g *gateway) syncFile(ctx context.Context, cfg *config.Config) error {
	if g.flags.replica != nil || cfg.Role == config.RoleConsole {
		return nil
	}
	err := syncTenants(ctx, g.rec.DB, cfg)
	if err == nil && cfg.Role.Administers() {
		err = noteConfiguration(ctx, g.rec, cfg)
	}
	return err
}

// swap makes a snapshot of the runtime and the keys, and puts it in force. g.mu
// is held.
func (g *gateway) swap(ctx context.Context) error {
	v, err := g.rec.DB.Config().Version(ctx)
	if err != nil {
		return err
	}
	keys, err := loadKeys(ctx, g.rec.DB, g.cfg)
	if err != nil {
		return err
	}
	g.version, g.keys, g.owed = v, keys, allOwed()
	g.snaps.Swap(snapshot.New(g.rt, keys, v))
	return nil
}

// close ends the gateway's parts in the order in which they depend on each other.
func (g *gateway) close(ctx context.Context) error {
	g.mu.Lock()
	defer g.mu.Unlock()
	var errs []error
	if g.rt != nil {
		g.snaps.Swap(nil)
		g.rt.Release()
		errs = append(errs, g.rt.Drained(ctx))
	}
	if g.hooks != nil {
		g.hooks.close(ctx)
	}
	errs = append(errs, g.capture.Close(ctx))
	if g.state != nil {
		errs = append(errs, g.state.Close(ctx))
	}
	if g.admins != nil {
		g.admins.Close()
	}
	return errors.Join(append(errs, g.rec.Close(ctx))...)
}
