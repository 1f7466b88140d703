package node

import (
	"cmp"
	"context"
	"crypto/tls"
	"crypto/x509"
	"errors"
	"fmt"
	"maps"
	"os"
	"slices"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/providers"
	"github.com/headgate-dev/headgate/stages"
)

// buildRuntime builds everything that a configuration requires, or nothing. All stages get with. note receives what
// webhooks in shadow mode report. stored are the providers of the database; optional. absent reports for which files a link
// may fall back to its fault rule if the file is unusable; nil means none.
func buildRuntime(
	ctx context.Context,
	cfg *config.Config,
	dir *folder,
	stored *storedProviders,
	with stages.Host,
	note func(remote.Observed),
	absent func(file string) bool,
) (_ *snapshot.Runtime, err error) {
	rt := &snapshot.Runtime{
		Providers:   make(map[string]route.Provider, len(cfg.Providers)),
		MaxBody:     int64(cfg.Server.MaxBody),
		Answers:     snapshot.AnswerLimits{Process: int64(cfg.Server.AnswerMemory), Tenant: int64(cfg.Server.AnswerMemoryPerTenant)},
		DefaultCap:  cfg.Guardrail.DefaultMaxResponseTokens,
		JudgedFiles: cfg.Files != config.FilesPass,
		HostedTools: hosted.Rules[string(cfg.HostedTools)],
		Unrecorded:  !cfg.Audit.Exchanges,
		PublicURL:   cfg.Server.PublicURL,
		AuditSync:   cfg.Audit.Sync == config.SyncRequest,
	}
	defer func() {
		if err != nil {
			for _, c := range rt.Clients {
				err = errors.Join(err, c.Close())
			}
			for _, p := range rt.Processes {
				err = errors.Join(err, p.Close())
			}
		}
	}()
	prefixes := make(map[string][]string, len(cfg.Providers))
	var opts []route.Option
	for _, name := range slices.Sorted(maps.Keys(cfg.Providers)) {
		p, ofDatabase := stored.build(rt, name)
		if ofDatabase && p == nil {
			delete(cfg.Providers, name)
			continue
		}
		if !ofDatabase {
			if p, err = buildProvider(rt, name, cfg.Providers[name]); err != nil {
				return nil, err
			}
		}
		rt.Providers[name], prefixes[name] = p, p.Prefixes()
		if cfg.Providers[name].Prefix {
			opts = append(opts, route.OpenProviders(name))
		}
	}
	if err := errors.Join(buildServers(rt, cfg, dir.commands), buildAgents(rt, cfg)); err != nil {
		return nil, err
	}
	if cfg.Routing.PrefixFallback {
		opts = append(opts, route.WithPrefixFallback())
	}
	if rt.Router, err = route.New(listRoutes(cfg), prefixes, opts...); err != nil {
		return nil, err
	}
	if err = openUpstreams(rt, cfg, &with); err != nil {
		return nil, err
	}
	with.Routes, with.Calls = rt.Router, callPrices{rt}
	if with.Tools == nil {
		with.Tools = rt.Servers
	}
	if rt.Chain, err = buildChain(ctx, cfg, dir, buildHost(cfg, rt, with), note, absent); err != nil {
		return nil, err
	}
	if rt.Redacting, err = rt.Chain.ForRedaction(); err != nil {
		return nil, err
	}
	if cfg.Batch.Guards == config.BatchEnforce {
		if rt.Guarding, err = rt.Chain.Guarding(); err != nil {
			return nil, err
		}
	}
	return rt.Start(), nil
}

func buildProvider(rt *snapshot.Runtime, name string, p config.Provider) (route.Provider, error) {
	client, err := buildClient(p)
	if err != nil {
		return nil, fmt.Errorf("provider %q: %w", name, err)
	}
	rt.Clients = append(rt.Clients, client)
	s := providers.Settings{
		Name: name, Type: p.Type, APIKey: p.APIKey.Reveal(), BaseURL: p.BaseURL, Models: p.Models,
		Capabilities: p.Capabilities, Client: client,
		Region: p.Region, AccessKeyID: p.AccessKeyID.Reveal(), SecretAccessKey: p.SecretAccessKey.Reveal(), SessionToken: p.SessionToken.Reveal(),
		Project: p.Project, CredentialsFile: p.CredentialsFile, Entra: providers.Entra{
			Identity: string(p.Entra.Identity), TenantID: p.Entra.TenantID, ClientID: p.Entra.ClientID, ClientSecret: p.Entra.ClientSecret.Reveal(),
			TokenFile: p.Entra.TokenFile, Authority: p.Entra.Authority, Scope: p.Entra.Scope,
		},
		APIVersion: p.APIVersion, ResponsesAPIVersion: p.ResponsesAPIVersion, NoStore: p.NoStore, Env: os.Getenv,
		Timeouts: upstream.Timeouts{
			Connect: p.Timeouts.Connect, FirstByte: p.Timeouts.FirstByte, Idle: p.Timeouts.Idle, Total: p.Timeouts.Total,
		},
	}
	for _, h := range slices.Sorted(maps.Keys(p.Headers)) {
		s.Header = append(s.Header, upstream.Field{Name: h, Value: p.Headers[h].Reveal()})
	}
	return providers.New(s)
}

func buildClient(p config.Provider) (upstream.Client, error) {
	var t *tls.Config
	if p.CAFile != "" {
		pool, err := x509.SystemCertPool()
		if err != nil {
			pool = x509.NewCertPool()
		}
		pem, err := os.ReadFile(p.CAFile)
		if err != nil {
			return nil, fmt.Errorf("ca_file: %w", err)
		}
		if !pool.AppendCertsFromPEM(pem) {
			return nil, errors.New("ca_file contains no certificate")
		}
		t = &tls.Config{RootCAs: pool, MinVersion: tls.VersionTLS12}
	}
	if p.Transport == config.TransportHTTP {
		return upstream.NewTransport(upstream.TransportOptions{TLS: t, HTTP2: p.HTTP2})
	}
	return upstream.NewLean(upstream.LeanOptions{TLS: t}), nil
}

func listRoutes(cfg *config.Config) []route.Route {
	out := make([]route.Route, 0, len(cfg.Routes))
	for _, r := range cfg.Routes {
		n := route.Route{
			ID: cmp.Or(r.ID, r.ModelPattern), Pattern: r.ModelPattern, Strategy: string(r.Strategy), Pinned: r.PinnedModelVersion,
			LatencySLA: time.Duration(r.LatencySLA) * time.Millisecond, OtherRegions: r.OtherRegions,
			HostedTools: hosted.Rules[string(r.HostedTools)],
		}
		for _, t := range r.Providers {
			n.Targets = append(n.Targets, route.Target{Provider: t.Provider, Weight: t.Weight, ModelOverride: t.ModelOverride, Region: t.Region})
		}
		out = append(out, n)
	}
	return out
}
