package node

import (
	"cmp"
	"context"
	"crypto/rand"
	"crypto/tls"
	"errors"
	"fmt"
	"maps"
	"net"
	"net/netip"
	"net/url"
	"slices"
	"strings"
	"syscall"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/manage/console"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/providers"
)

// consolePlan builds the console of a gateway: its address, the code for the first owner, and the gateway data that its
// pages show.
type consolePlan struct{ g *gateway }

func (g *gateway) buildConsolePlan() consolePlan { return consolePlan{g} }

// addConsole adds the console to the servers, if this process administers. If its address is taken, the gateway serves
// without a console: traffic must not wait for it.
func (c consolePlan) addConsole(cfg *config.Config, o *server.Options) error {
	if !cfg.Role.Administers() || cfg.Console.Listen == config.ConsoleOff {
		return nil
	}
	addr := cmp.Or(cfg.Console.Listen, chooseConsole(cfg.Server.Listen))
	l, err := net.Listen("tcp", addr)
	if err != nil {
		taken := errors.Is(err, syscall.EADDRINUSE) || cfg.Console.Listen == ""
		if err = server.DescribeListenError("console.listen", addr, err); !taken || cfg.Role == config.RoleConsole {
			return err
		}
		c.g.tel.Log.Warn().Err(err).Msg("the console is not served")
		return nil
	}
	if t := cfg.Console.TLS; t.IsEnabled() {
		cert, err := tls.LoadX509KeyPair(t.CertFile, t.KeyFile)
		if err != nil {
			return fmt.Errorf("console.tls: %w", err)
		}
		o.ConsoleTLS = &tls.Config{Certificates: []tls.Certificate{cert}, MinVersion: tls.VersionTLS12, NextProtos: []string{"http/1.1"}}
	}
	c.g.site = "http://" + l.Addr().String()
	if o.ConsoleTLS != nil {
		c.g.site = "https://" + l.Addr().String()
	}
	code, err := c.createSetupCode(cfg, c.g.site)
	if err != nil {
		return err
	}
	site, err := c.build(cfg, o, code)
	if err != nil {
		return err
	}
	o.Console, o.ConsoleAt = site, l
	c.g.tel.Log.Info().Str("listen", l.Addr().String()).Msg("the console is served")
	return nil
}

// createSetupCode returns the code needed to create the first owner. Until a user has a password, it is printed on the
// terminal only, as a link whose fragment no server receives. A console on this machine requires it too, because
// proxies and other accounts can reach it.
func (c consolePlan) createSetupCode(cfg *config.Config, site string) (string, error) {
	if cfg.Admin.Auth.InUse() != config.AuthPassword {
		return "", nil
	}
	code := rand.Text()
	n, err := c.g.rec.DB.Users().CountWithPassword(context.Background())
	if err == nil && n == 0 {
		_, err = fmt.Fprintf(
			c.g.terminal,
			"\nNobody can sign in to the console yet. Create the first owner at\n\n  %s/setup#%s\n\nor at /setup with the code %[2]s\n\n",
			strings.TrimSuffix(cmp.Or(cfg.Console.URL, site), "/"), code,
		)
	}
	return code, err
}

// chooseConsole returns the default address of the console. If the gateway uses a free port, so does the console.
func chooseConsole(gateway string) string {
	if _, port, err := net.SplitHostPort(gateway); err == nil && port == "0" {
		return "127.0.0.1:0"
	}
	return config.DefaultConsole
}

// build creates the web application on the operations of the administrative API.
func (c consolePlan) build(cfg *config.Config, o *server.Options, code string) (*console.Console, error) {
	own := console.Options{
		Service: o.Admin.Service, Auth: c.g.admins, Passwords: cfg.Admin.Auth.InUse() == config.AuthPassword, Ready: o.Ready,
		Trace: proxy.ReadTrace,
		OIDC:  c.g.entry.oidc, SAML: c.g.entry.saml, SetupCode: code, Proxies: c.g.clientAuth.Proxies, Version: c.g.flags.Version,
		ReportError: func(_ context.Context, trace string, err error) {
			c.g.tel.Log.Error().Err(err).Str("trace_id", trace).Msg("a page of the console failed")
		},
	}
	var err error
	if own.Box, err = c.g.rec.Master.NewBox("console sign-in"); err != nil {
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
		st := c.g.buildStatus()
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
	own.Plan, own.Catalogue = c.listTargets, catalogue(c)
	if cfg.Role.Governs() {
		own.Recent, own.Shadow, own.Playground = c.g.recent, c.g.shadow, o.Proxy
		own.Gateway, own.Providers, own.Running = findGatewayURL(cfg), c.listCredentials, c.listRunningLinks
	}
	return console.New(own)
}

// listTargets returns the current routing targets of a model.
func (c consolePlan) listTargets(model, region string) ([]core.TargetRef, bool) {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	q := c.g.rt.Traffic.BuildQuery(model, region)
	q.Still = true
	plan, known := c.g.rt.Router.PlanFor(nil, q)
	return slices.Clone(plan), known
}

// listCredentials returns the configured providers without their keys.
func (c consolePlan) listCredentials() []console.Provider {
	c.g.mu.Lock()
	defer c.g.mu.Unlock()
	out := make([]console.Provider, 0, len(c.g.cfg.Providers))
	for _, name := range slices.Sorted(maps.Keys(c.g.cfg.Providers)) {
		p := c.g.cfg.Providers[name]
		key := "set"
		switch {
		case p.APIKey.Reveal() != "" || p.SecretAccessKey.Reveal() != "":
		case providers.NormalizeName(p.Type) == "mock":
			key = "not needed"
		default:
			key = "missing"
		}
		out = append(out, console.Provider{
			Name: name, Type: providers.NormalizeName(p.Type), Health: c.g.known.readCondition(name), URL: p.BaseURL, Key: key,
			Capabilities: c.g.rt.Providers[name].FindCapabilities(""),
		})
	}
	return out
}

// findGatewayURL returns the gateway's address for clients on this machine.
func findGatewayURL(cfg *config.Config) string {
	scheme := "http://"
	if cfg.Server.TLS.IsEnabled() {
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
