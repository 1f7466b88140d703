package node

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"fmt"
	"io"
	"log"
	"net"
	"os"
	"os/signal"
	"sync/atomic"
	"syscall"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/gateway/shadow"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/gateway/tools/offered"
	"github.com/headgate-dev/headgate/core/records/license"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/providers/mcp/stdio"
)

// keysEvery is the interval at which changed records are detected: a key created by another process is in force after
// at most twice that.
const keysEvery = time.Second

// CloseTimeout is the timeout for the last writes of a gateway that shuts down.
const CloseTimeout = 30 * time.Second

// Serve runs a gateway until ctx ends or a listener fails. The log goes to out, warnings and new keys to errOut. SIGHUP
// reloads the configuration.
func (o *Options) Serve(ctx context.Context, out, errOut io.Writer) (err error) {
	var drain atomic.Pointer[func()]
	ctx, end := newDrainContext(ctx, &drain)
	defer end()
	hup := make(chan os.Signal, 1)
	signal.Notify(hup, syscall.SIGHUP)
	defer signal.Stop(hup)
	go tuneMemory(ctx)
	log.SetOutput(io.Discard) // net/http logs unsolicited bytes of providers; Headgate does not use this logger

	// Start watching before the file is read, so that no change is missed.
	changed := make(chan string, 1)
	requestReload := func(why string) {
		select {
		case changed <- why:
		default: // a reload is already due
		}
	}
	if o.Config != "" {
		config.Watch(ctx, o.Config, func() { requestReload("the configuration file changed") })
	}
	cfg, err := o.loadWithWarnings(errOut)
	if err != nil {
		return err
	}
	tel, err := telemetry.New(telemetry.Options{
		Out: out, Level: string(cfg.Log.Level), Format: string(cfg.Log.Format), Access: cfg.Log.Access,
		Traces: buildTraceSettings(cfg, o.Version),
	})
	if err != nil {
		return err
	}
	defer func() { err = errors.Join(err, tel.Close()) }()
	if isNode(cfg) {
		if o.replica, err = openReplica(ctx, cfg, tel); err != nil {
			return err
		}
		defer o.replica.client.Close()
		if cfg, err = o.loadWithWarnings(errOut); err != nil {
			return err
		}
	}
	rec, err := openRecords(ctx, cfg, func(err error, n int) {
		tel.Log.Error().Err(err).Int("records", n).Msg("records could not be written; they are kept and tried again")
	})
	if err != nil {
		return err
	}
	rec.printWarnings(errOut)
	g := &gateway{
		offered:  offered.New(),
		verdicts: chain.NewMemory(0), // its limit comes with each configuration
		flags:    o, shadow: shadow.Open(), terminal: errOut, tel: tel, rec: rec, pol: newPolicySource(rec.DB, tel),
		consents: newApprovals(rec.DB, tel), began: time.Now(), note: requestReload, wake: make(chan struct{}, 1), drain: &drain,
	}
	g.pins, g.consents.page = newToolPins(g), func() string { return findApprovalPage(g) }
	defer func() {
		end, cancel := context.WithTimeout(context.WithoutCancel(ctx), CloseTimeout)
		defer cancel()
		err = errors.Join(err, g.close(end))
	}()
	if err := g.open(ctx, cfg); err != nil {
		return err
	}
	return g.serve(ctx, cfg, hup, changed)
}

// loadWithWarnings reads the configuration and prints its warnings.
func (o *Options) loadWithWarnings(errOut io.Writer) (*config.Config, error) {
	cfg, warnings, err := o.Load()
	PrintWarnings(errOut, warnings)
	return cfg, err
}

// isConsole reports whether the process serves only the console. It leaves deliveries, licence events and new keys to
// the gateways that share its database.
func isConsole(cfg *config.Config) bool { return cfg.Role == config.RoleConsole }

// open opens the parts of the gateway and puts the first configuration in force.
func (g *gateway) open(ctx context.Context, cfg *config.Config) (err error) {
	if g.flags.Config == "" && g.flags.replica == nil && !isConsole(cfg) {
		dropped, err := writeSample(cfg)
		if err != nil {
			return err
		}
		if dropped != "" {
			g.tel.Log.Info().Str("file", dropped).Msg("the sample detector was put into the plugins folder")
		}
	}
	proxies, err := auth.ParseProxies(cfg.Server.TrustedProxies)
	if err != nil {
		return fmt.Errorf("server.trusted_proxies: %w", err)
	}
	g.clientAuth = auth.NewAuthenticator(proxies, g.tel.RecordWrongKey)
	g.state, err = state.Open(ctx, cfg.State.URL, func(err error) { g.tel.Log.Error().Err(err).Msg("usage could not be counted") })
	if err != nil {
		return err
	}
	g.consents.shared = g.state
	logPlugin := func(text string) { g.tel.Log.Info().Str("source", "plugin").Msg(text) }
	if g.dir, err = openFolder(cfg, logPlugin, func() { g.note("a candidate was promoted or rejected") }); err != nil {
		return err
	}
	if g.flags.replica != nil {
		g.dir.commands = stdio.NewRefusingHost()
	}
	if g.hooks, err = newHooks(cfg, g.rec, g.tel, g.logGuardObserved); err != nil {
		return err
	}
	g.known.changed = g.hooks.reportCircuit
	if g.flags.replica == nil && !isConsole(cfg) { // otherwise the control plane or the gateways emit these events
		g.rec.lic.Changed = func(_ context.Context, from, to license.State, l *license.License) { g.hooks.sendLicense(from, to, l) }
	}
	if err := g.hooks.refresh(ctx); err != nil {
		return err
	}
	if !isConsole(cfg) {
		g.hooks.start(ctx)
	}
	if err := registerMetrics(g.tel, g); err != nil {
		return err
	}
	return g.reload(ctx, "start")
}

// serve opens the listeners, runs until ctx ends or a listener fails, and drains the exchanges.
func (g *gateway) serve(ctx context.Context, cfg *config.Config, hup <-chan os.Signal, changed <-chan string) (err error) {
	var jobs *batch.Service
	if !isConsole(cfg) {
		if g.capture, err = openCapture(cfg, g.rec.Master, g.tel); err != nil {
			return err
		}
		jobs = g.newBatches(meter.New(g.rec.DB, g.rec.writer), cfg)
		defer jobs.Close()
	}
	if cfg.Role.Administers() {
		if err := storeAdminToken(ctx, g.rec, g.tel); err != nil {
			return err
		}
	}
	srv, err := g.listen(cfg, jobs)
	if err != nil {
		return err
	}
	if delay := cfg.Server.DrainDelay; delay > 0 {
		wait := func() { g.drainFor(ctx, srv, delay) }
		g.drain.Store(&wait)
	}
	g.announce = g.buildAnnouncer(srv.Addr())
	if err := g.announce(ctx, cfg, true); err != nil {
		return err
	}
	if cfg.Plugins.Watch {
		go g.dir.Watch(ctx, func() { g.note("the plugins folder changed") })
	}
	started := g.tel.Log.Info()
	if !isConsole(cfg) {
		started.Str("listen", srv.Addr().String())
	}
	if a := srv.Admin(); a != nil {
		started.Str("admin", a.String())
	}
	if m := srv.Metrics(); m != nil {
		started.Str("metrics", m.String())
	}
	started.Str("version", g.flags.Version).Bool("clean_start", g.rec.start.Clean).Msg("serving")
	err = g.run(ctx, srv, hup, changed)
	end, cancel := context.WithTimeout(context.WithoutCancel(ctx), cfg.Server.ShutdownTimeout)
	defer cancel()
	g.tel.Log.Info().Msg("shutting down")
	return errors.Join(err, srv.Shutdown(end))
}

// buildAnnouncer returns the function that creates the keys that the file leaves empty and prints them on the terminal.
func (g *gateway) buildAnnouncer(addr net.Addr) func(ctx context.Context, cfg *config.Config, first bool) error {
	return func(ctx context.Context, cfg *config.Config, first bool) error {
		if g.flags.replica != nil || isConsole(cfg) { // the control plane or the gateways create the keys
			return g.refresh(ctx)
		}
		// A printed key must work immediately, so put new keys in force before printing them.
		var text bytes.Buffer
		d := startHints{addr: addr.String(), tls: cfg.Server.TLS.IsEnabled(), file: g.flags.Config, first: first, site: g.site}
		err := errors.Join(bootstrapKeys(ctx, g.rec.DB, cfg, d, &text), g.refresh(ctx))
		_, werr := text.WriteTo(g.terminal)
		return errors.Join(err, werr)
	}
}

func (g *gateway) listen(cfg *config.Config, jobs *batch.Service) (*server.Server, error) {
	o := server.Options{
		Listen: cfg.Server.Listen, Metrics: cfg.Server.MetricsListen, Pprof: cfg.Server.PprofListen,
		ReadHeaderTimeout: cfg.Server.ReadHeaderTimeout, IdleTimeout: cfg.Server.IdleTimeout, BodyTimeout: cfg.Server.BodyTimeout,
		SendTimeout: cfg.Server.SendTimeout, NetHTTP: cfg.Server.Loop == config.LoopNetHTTP,
		Telemetry: g.tel, Status: g.buildStatus, Knows: g.knows, Version: g.flags.Version, ActuatorKey: os.Getenv("HEADGATE_ACTUATOR_API_KEY"),
		Ready:   func(ctx context.Context) error { return g.rec.checkReady(ctx, cfg) },
		License: func(ctx context.Context) (any, error) { return g.rec.lic.View(ctx) },
	}
	if cfg.Role.Governs() {
		o.Batches = jobs.Routes()
		g.recent = recent.New()
		o.Proxy = proxy.New(proxy.Options{
			Snapshots: &g.snaps,
			Audit:     g.rec.audit,
			Telemetry: g.tel,
			Started:   g.began,
			Auth:      g.clientAuth,
			Capture:   g.capture,
			Ended:     g.hooks.publishEnd,
			Recent:    g.recent, Shadow: g.shadow,
			Offers:  g.offered,
			Answers: &g.answers,

			SocketLimits: socket.Limits{PerKey: cfg.Server.SocketsPerKey, Read: cfg.Server.BodyTimeout},
		})
		g.judges.Store(o.Proxy)
	}
	if cfg.Role.Administers() {
		var err error
		if o.Admin, err = g.buildAdministration(cfg); err != nil {
			return nil, err
		}
		o.AdminListen = cfg.Admin.Listen
	}
	if cfg.Role.Keeps() {
		o.Internal = g.newInternalAPI(cfg)
	}
	if cfg.Role == config.RoleConsole {
		o.Listen, o.AdminListen, o.Metrics, o.Pprof = "", "", "", ""
		return g.serveConsole(cfg, o)
	}
	if t := cfg.Server.TLS; t.IsEnabled() {
		cert, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return nil, fmt.Errorf("server.tls: %w", err)
		}
		o.TLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
		if o.HTTP2 = cfg.Server.HTTP2; o.HTTP2 {
			o.TLS.NextProtos = []string{"h2", "http/1.1"}
		}
	}
	return g.serveConsole(cfg, o)
}

// serveConsole adds the console to the servers and serves.
func (g *gateway) serveConsole(cfg *config.Config, o server.Options) (*server.Server, error) {
	if err := g.buildConsolePlan().addConsole(cfg, &o); err != nil {
		return nil, err
	}
	return server.Start(o)
}

// role returns the part that the process plays, which only a restart changes.
func (g *gateway) role() config.Role {
	g.mu.Lock()
	defer g.mu.Unlock()
	return g.cfg.Role
}
