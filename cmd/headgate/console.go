package main

import (
	"cmp"
	"context"
	"crypto/tls"
	"fmt"
	"net"
	"net/netip"
	"net/url"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/console"
	"github.com/headgate-dev/headgate/core/proxy"
	"github.com/headgate-dev/headgate/core/server"
)

// openConsole adds the console to what is served, where somebody administers. When nobody has said where, and the address
// is taken, the gateway serves without it: traffic does not wait for pages.
func (g *gateway) openConsole(cfg *config.Config, o *server.Options) error {
	if !cfg.Role.Administers() || cfg.Console.Listen == config.ConsoleOff {
		return nil
	}
	l, err := net.Listen("tcp", cmp.Or(cfg.Console.Listen, besideGateway(cfg.Server.Listen)))
	if err != nil {
		if cfg.Console.Listen != "" {
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
	c, err := g.console(cfg, o)
	if err != nil {
		return err
	}
	o.Console, o.ConsoleAt = c, l
	g.tel.Log.Info().Str("listen", l.Addr().String()).Msg("the console is served")
	return nil
}

// besideGateway is where the console listens when nobody says: with a gateway that takes a free port, it does the same.
func besideGateway(gateway string) string {
	if _, port, err := net.SplitHostPort(gateway); err == nil && port == "0" {
		return "127.0.0.1:0"
	}
	return config.DefaultConsole
}

// console makes the web application over the operations of the administrative API.
func (g *gateway) console(cfg *config.Config, o *server.Options) (*console.Console, error) {
	own := console.Options{
		Service: o.Admin.Service, Auth: g.admins, Passwords: cfg.Admin.Auth.InUse() == config.AuthPassword, Ready: o.Ready, Trace: proxy.Trace,
		Version: version,
		Failed: func(_ context.Context, trace string, err error) {
			g.tel.Log.Error().Err(err).Str("trace_id", trace).Msg("a page of the console failed")
		},
	}
	if cfg.Console.URL != "" {
		u, err := url.Parse(cfg.Console.URL)
		if err != nil {
			return nil, fmt.Errorf("console.url: %w", err)
		}
		own.URL = u
	}
	own.Status = func() console.Status {
		s := g.status()
		return console.Status{Warnings: s.Warnings, Plugins: s.Plugins, PluginsDir: cfg.Plugins.Dir}
	}
	if cfg.Role.Governs() {
		own.Gateway, own.Recent, own.Playground = gatewayURL(cfg), g.recent, o.Proxy
	}
	return console.New(own)
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
