package node

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"os"
	"os/signal"
	"syscall"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// keysEvery is how often changed records are looked for: a key that was made by
// another process is in force after at most twice that.
const keysEvery = time.Second

func (f *Options) Serve(ctx context.Context, out, errOut io.Writer) (err error) {
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	go keepMemory(ctx)

	// The watch begins before the file is read, so that no change falls in between.
	changed := make(chan string, 1)
	note := func(why string) {
		select {
		case changed <- why:
		default: // a reload is due already
		}
	}
	if f.Config != "" {
		config.Watch(ctx, f.Config, func() { note("the configuration file changed") })
	}
	cfg, warnings, err := f.Load()
	PrintWarnings(errOut, warnings)
	if err != nil {
		return err
	}
	tel, err := telemetry.New(telemetry.Options{
		Out: out, Level: string(cfg.Log.Level), Format: string(cfg.Log.Format), Access: cfg.Log.Access, Traces: traces(cfg, f.Version),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tel.Close()) }()
	if isNode(cfg) {
		if f.replica, err = openReplica(ctx, cfg, tel); err != nil {
			return err
		}
		defer f.replica.client.Close()
		if cfg, warnings, err = f.Load(); err != nil {
			return err
		}
		PrintWarnings(errOut, warnings)
	}
	rec, err := openRecords(ctx, cfg, func(err error, n int) {
		tel.Log.Error().Err(err).Int("records", n).Msg("records could not be written; they are kept and tried again")
	})
	if err != nil {
		return err
	}
	rec.printWarnings(errOut)
	log.SetOutput(io.Discard)               // net/http tells it what a provider sent unasked; nothing of ours uses it
	alone := cfg.Role == config.RoleConsole // what gateways do all the same is left to those whose database this is
	if f.Config == "" && f.replica == nil && !alone {
		dropped, err := dropSample(cfg)
		if err != nil {
			return errors.Join(err, rec.Close(ctx))
		}
		if dropped != "" {
			tel.Log.Info().Str("file", dropped).Msg("the sample detector was put into the plugins folder")
		}
	}
	g := &gateway{flags: f, terminal: errOut, tel: tel, rec: rec, pol: newPolicySource(rec.DB, tel), consents: newApprovals(rec.DB, tel), began: time.Now(), note: note, wake: make(chan struct{}, 1)}
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), CloseTimeout)
		defer cancel()
		err = errors.Join(err, g.close(end))
	}()
	g.state, err = state.Open(ctx, cfg.State.URL, func(err error) { tel.Log.Error().Err(err).Msg("what was used could not be counted") })
	if err != nil {
		return err
	}
	if g.dir, err = openFolder(cfg, func(text string) { tel.Log.Info().Str("source", "plugin").Msg(text) }, func() { note("a candidate was decided about") }); err != nil {
		return err
	}
	if g.hooks, err = newHooks(cfg, rec, tel, g.guardObserved); err != nil {
		return err
	}
	if f.replica == nil && !alone { // they are not the ones to tell
		rec.lic.Changed = func(_ context.Context, from, to license.State, l *license.License) { g.hooks.license(from, to, l) }
	}
	if err := g.hooks.refresh(ctx); err != nil {
		return err
	}
	if !alone {
		g.hooks.start(ctx)
	}
	if err := registerMetrics(tel, g); err != nil {
		return err
	}
	if err := g.reload(ctx, "start"); err != nil {
		return err
	}
	var m *meter.Meter
	var jobs *batch.Service
	if !alone {
		if g.capture, err = openCapture(cfg, rec.Master, tel); err != nil {
			return err
		}
		m = meter.New(rec.DB, rec.writer)
		jobs = g.batches(m, cfg)
		defer jobs.Close()
	}
	if cfg.Role.Administers() {
		if err := keepAdminToken(ctx, rec, tel); err != nil {
			return err
		}
	}
	srv, err := g.listen(cfg, m, jobs)
	if err != nil {
		return err
	}
	g.announce = func(ctx context.Context, cfg *config.Config, first bool) error {
		if f.replica != nil || alone { // its keys are the control plane's, or those of gateways
			return g.refresh(ctx)
		}
		// What is printed must work when it is pasted at once, so the new keys come into force before.
		var told bytes.Buffer
		d := door{addr: srv.Addr().String(), tls: cfg.Server.TLS.Enabled(), file: f.Config, first: first, site: g.site}
		err := errors.Join(bootstrap(ctx, rec.DB, cfg, d, &told), g.refresh(ctx))
		_, werr := told.WriteTo(errOut)
		return errors.Join(err, werr)
	}
	if err := g.announce(ctx, cfg, true); err != nil {
		return err
	}
	if cfg.Plugins.Watch {
		go g.dir.Watch(ctx, func() { note("the plugins folder changed") })
	}
	started := tel.Log.Info()
	if !alone {
		started.Str("listen", srv.Addr().String())
	}
	if m := srv.Metrics(); m != nil {
		started.Str("metrics", m.String())
	}
	started.Str("version", f.Version).Bool("clean_start", rec.start.Clean).Msg("serving")
	err = g.run(ctx, srv, hup, changed)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.Server.ShutdownTimeout)
	defer cancel()
	tel.Log.Info().Msg("shutting down")
	return errors.Join(err, srv.Shutdown(end))
}

// closeTimeout bounds the last writes.
const CloseTimeout = 30 * time.Second

func (g *gateway) listen(cfg *config.Config, m *meter.Meter, jobs *batch.Service) (*server.Server, error) {
	o := server.Options{
		Listen: cfg.Server.Listen, Metrics: cfg.Server.MetricsListen, Pprof: cfg.Server.PprofListen,
		ReadHeaderTimeout: cfg.Server.ReadHeaderTimeout, IdleTimeout: cfg.Server.IdleTimeout, BodyTimeout: cfg.Server.BodyTimeout,
		NetHTTP:   cfg.Server.Loop == config.LoopNetHTTP,
		Telemetry: g.tel, Status: g.status, Version: g.flags.Version, ActuatorKey: os.Getenv("HEADGATE_ACTUATOR_API_KEY"),
		Ready:   func(ctx context.Context) error { _, err := g.rec.DB.Config().Version(ctx); return err },
		License: func(ctx context.Context) (any, error) { return g.rec.lic.Show(ctx) },
	}
	if cfg.Role.Governs() {
		o.Batches = jobs.Routes()
		g.recent = recent.New()
		o.Proxy = proxy.New(proxy.Options{
			Snapshots: &g.snaps, Audit: g.rec.audit, Meter: m, Telemetry: g.tel, Started: g.began, Capture: g.capture, Ended: g.hooks.ended, Recent: g.recent,
		})
	}
	if cfg.Role.Administers() {
		var err error
		if o.Admin, err = g.administration(cfg); err != nil {
			return nil, err
		}
	}
	if cfg.Role.Keeps() {
		o.Internal = g.internalAPI(cfg)
	}
	if cfg.Role == config.RoleConsole {
		o.Listen, o.Metrics, o.Pprof = "", "", ""
		return g.serveConsole(cfg, o)
	}
	if t := cfg.Server.TLS; t.Enabled() {
		cert, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("server.tls: %w", err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	return g.serveConsole(cfg, o)
}

// serveConsole adds the console to what is served, and serves.
func (g *gateway) serveConsole(cfg *config.Config, o server.Options) (*server.Server, error) {
	if err := g.openConsole(cfg, &o); err != nil {
		return nil, err
	}
	return server.Start(o)
}

// role is what the process does, which only a restart changes.
func (g *gateway) role() config.Role {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cfg.Role
}
