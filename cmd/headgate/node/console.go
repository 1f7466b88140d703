package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/manage/console"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/providers"
)

// openConsole adds the console to what is served, where somebody administers. When nobody has said where, and the address
// is taken, the gateway serves without it: traffic does not wait for pages.
func (g *gateway) openConsole(cfg *config.Config, o *server.Options) error {
	if !cfg.Role.Administers() || cfg.Console.Listen == config.ConsoleOff {
		return nil
	}
	l, err := net.Listen("tcp", cmp.Or(cfg.Console.Listen, besideGateway(cfg.Server.Listen)))
	if err != nil {
		if cfg.Console.Listen != "" || cfg.Role == config.RoleConsole {
			return fmt.Errorf("console: %w", err)
		}
		g.tel.Log.Warn().Err(err).Msg("the console is not served, since something else listens there; write console.listen, or off")
		return nil
	}
	if t := cfg.Console.TLS; t.Enabled() {
		cert, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return fmt.Errorf("console.tls: %w", err)
		}
		o.ConsoleTLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	g.site = "http://" + l.Addr().String()
	if o.ConsoleTLS != nil {
		g.site = "https://" + l.Addr().String()
	}
	code, err := g.setupCode(cfg, g.site)
	if err != nil {
		return err
	}
	c, err := g.console(cfg, o, code)
	if err != nil {
		return err
	}
	o.Console, o.ConsoleAt = c, l
	g.tel.Log.Info().Str("listen", l.Addr().String()).Msg("the console is served")
	return nil
}

// setupCode returns what the maker of the first owner must know. While nobody has a password it is shown at the terminal alone,
// as a link whose fragment no server sees. A console on this machine asks for it too: proxies and other accounts reach it.
func (g *gateway) setupCode(cfg *config.Config, site string) (string, error) {
	if cfg.Admin.Auth.InUse() != config.AuthPassword {
		return "", nil
	}
	code := rand.Text()
	n, err := g.rec.DB.Users().CountWithPassword(context.Background())
	if err == nil && n == 0 {
		_, err = fmt.Fprintf(
			g.terminal,
			"\nNobody can sign in to the console yet. Create the first owner at\n\n  %s/setup#%s\n\nor at /setup with the code %[2]s\n\n",
			strings.TrimSuffix(cmp.Or(cfg.Console.URL, site), "/"), code,
		)
	}
	return code, err
}

// besideGateway is where the console listens when nobody says: with a gateway that takes a free port, it does the same.
func besideGateway(gateway string) string {
	if _, port, err := net.SplitHostPort(gateway); err == nil && port == "0" {
		return "127.0.0.1:0"
	}
	return config.DefaultConsole
}

// console makes the web application over the operations of the administrative API.
func (g *gateway) console(cfg *config.Config, o *server.Options, code string) (*console.Console, error) {
	own := console.Options{
		Service: o.Admin.Service, Auth: g.admins, Passwords: cfg.Admin.Auth.InUse() == config.AuthPassword, Ready: o.Ready, Trace: proxy.Trace,
		OIDC: g.entry.oidc, SAML: g.entry.saml, SetupCode: code, Proxies: g.door.Proxies, Version: g.flags.Version,
		ReportError: func(_ context.Context, trace string, err error) {
			g.tel.Log.Error().Err(err).Str("trace_id", trace).Msg("a page of the console failed")
		},
	}
	var err error
	if own.Box, err = g.rec.Master.Box("console sign-in"); err != nil {
		return nil, err
	}
	if cfg.Console.URL != "" {
		u, err := url.Parse(cfg.Console.URL)
		if err != nil {
			return nil, fmt.Errorf("console.url: %w", err)
		}
		own.URL = u
	}
	own.Status = func() console.Status {
		st := g.status()
		return console.Status{
			Status:        st.Status,
			Mode:          st.Mode,
			Version:       st.Version,
			Uptime:        time.Duration(st.UptimeSeconds) * time.Second,
			ConfigVersion: st.ConfigVersion,
			Region:        cmp.Or(st.Region.Name, st.Region.ID),
			Warnings:      st.Warnings,
			Plugins:       st.Plugins,
			PluginsDir:    cfg.Plugins.Dir,
		}
	}
	own.Plan = g.planTargets
	if cfg.Role.Governs() {
		own.Recent, own.Playground = g.recent, o.Proxy
		own.Gateway, own.Providers, own.Running = gatewayURL(cfg), g.credentials, g.runningLinks
	}
	return console.New(own)
}

// planTargets returns the targets that a model is routed to now.
func (g *gateway) planTargets(model, region string) ([]core.TargetRef, bool) {
	g.mu.Lock()
	defer g.mu.Unlock()
	q := g.rt.Traffic.Query(model, region)
	q.Still = true
	plan, known := g.rt.Router.PlanFor(nil, q)
	return slices.Clone(plan), known
}

// credentials are the configured providers, without their keys.
func (g *gateway) credentials() []console.Provider {
	g.mu.Lock()
	defer g.mu.Unlock()
	out := make([]console.Provider, 0, len(g.cfg.Providers))
	for _, name := range slices.Sorted(maps.Keys(g.cfg.Providers)) {
		p := g.cfg.Providers[name]
		key := "set"
		switch {
		case p.APIKey.Reveal() != "" || p.SecretAccessKey.Reveal() != "":
		case providers.Canonical(p.Type) == "mock":
			key = "not needed"
		default:
			key = "missing"
		}
		out = append(out, console.Provider{
			Name: name, Type: providers.Canonical(p.Type), Health: g.known.condition(name), URL: p.BaseURL, Key: key,
			Capabilities: g.rt.Providers[name].Capabilities(""),
		})
	}
	return out
}

// gatewayURL is where clients on this machine reach the gateway.
func gatewayURL(cfg *config.Config) string {
	scheme := "http://"
	if cfg.Server.TLS.Enabled() {
		scheme = "https://"
	}
	host, port, err := net.SplitHostPort(cfg.Server.Listen)
	if err != nil {
		return ""
	}
	if a, err := netip.ParseAddr(host); host == "" || err == nil && a.IsUnspecified() {
		host = "127.0.0.1"
	}
	return scheme + net.JoinHostPort(host, port)
}
