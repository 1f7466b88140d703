package proxy_test

import (
	"bytes"
	"context"
	"maps"
	"net/http/httptest"
	"slices"
	"sync"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/gateway/tools/offered"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/providers"
)

// generous is far longer than any step of these tests takes: a hang fails the test, a slow machine does not.
const generous = 30 * time.Second

// upstreamKey is the gateway's own credential, which must never appear in answers or logs.
const upstreamKey = "sk-canary-upstream"

// setup holds what a test changes about a gateway.
type setup struct {
	links    []chain.Link
	chain    func(core.Tokens) []chain.Link
	url      string
	client   upstream.Client
	provider route.Provider
	targets  []route.Provider // of the model "many", in order
	maxBody  int64
	cap      int64  // in tokens, if the client sets no limit
	override string // the name that "text-embedding-own" is sent as
	timeouts upstream.Timeouts
	writer   store.WriterOptions
	listens  bool // on the gateway's own server
	netHTTP  bool // that server reads requests with net/http
	sockets  socket.Limits
	patience time.Duration // of that server with bodies
	send     time.Duration // of that server, for each 16 KiB of an answer
	runtime  func(*snapshot.Runtime)
	traces   telemetry.Traces
	offers   *offered.Memory // of tools to models; nil: nothing is remembered
}

// gate is a gateway in which only the providers are fakes.
type gate struct {
	t     testing.TB
	url   string
	db    *store.DB
	w     *store.Writer
	log   *audit.Log
	m     *meter.Meter
	tel   *telemetry.Telemetry
	lines *lockedBuffer
	proxy *proxy.Proxy
	key   map[string]string // by name
	auKey []byte
	ended bool
}

type lockedBuffer struct {
	mu sync.Mutex
	b  bytes.Buffer
}

func (l *lockedBuffer) Write(p []byte) (int, error) {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.Write(p)
}

func (l *lockedBuffer) String() string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return l.b.String()
}

// open starts a gateway whose model "gpt-test" is routed to the provider of the setup.
func open(t testing.TB, s setup) *gate {
	t.Helper()
	countGate(t)
	ctx := context.Background()
	g := &gate{t: t, lines: new(lockedBuffer), key: map[string]string{}}
	var err error
	g.db, err = store.Open(ctx, storetest.CopyMigrated(t))
	require.NoError(t, err)
	g.w = store.NewWriter(g.db, s.writer)
	master, _, err := vault.LoadMaster(ctx, g.db, "")
	require.NoError(t, err)
	g.auKey = master.AuditKey()
	g.log, _, err = audit.Open(ctx, g.db, g.w, g.auKey)
	require.NoError(t, err)
	v, err := vault.New(g.db, g.w, master, vault.Options{})
	require.NoError(t, err)
	g.tel, err = telemetry.New(telemetry.Options{Out: g.lines, Level: "debug", Access: true, Traces: s.traces})
	require.NoError(t, err)
	g.m = meter.New(g.db, g.w)
	g.proxy = proxy.New(
		proxy.Options{Snapshots: g.snapshot(s, tokens{v}), Audit: g.log, Telemetry: g.tel, Started: time.Unix(1700000000, 0), SocketLimits: s.sockets, Offers: s.offers},
	)

	mount := g.serve
	if s.listens {
		mount = func() func() { return g.listen(&s) }
	}
	stop := mount()
	t.Cleanup(func() {
		stop()
		g.end()
	})
	return g
}

// serve mounts the proxy on a plain server.
func (g *gate) serve() (stop func()) {
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	g.proxy.Mount(e)
	srv := httptest.NewServer(e)
	g.url = srv.URL
	return srv.Close
}

// listen mounts the proxy on the gateway's own server.
func (g *gate) listen(s *setup) (stop func()) {
	srv, err := server.Start(server.Options{
		Listen: "127.0.0.1:0", ReadHeaderTimeout: time.Minute, IdleTimeout: time.Minute, BodyTimeout: s.patience, SendTimeout: s.send, NetHTTP: s.netHTTP, Proxy: g.proxy, Telemetry: g.tel,
		Status: func() server.Status { return server.Status{} }, Ready: func(context.Context) error { return nil },
	})
	require.NoError(g.t, err)
	g.url = "http://" + srv.Addr().String()
	return func() {
		ctx, cancel := context.WithTimeout(context.Background(), generous)
		defer cancel()
		assert.NoError(g.t, srv.Shutdown(ctx))
	}
}

func (g *gate) end() {
	if g.ended {
		return
	}
	g.ended = true
	ctx := context.Background()
	require.NoError(g.t, g.log.Close(ctx))
	require.NoError(g.t, g.w.Close(ctx))
	require.NoError(g.t, g.db.Close(ctx))
	require.NoError(g.t, g.tel.Close())
}

func (g *gate) snapshot(s setup, tok core.Tokens) *snapshot.Holder {
	links := s.links
	if s.chain != nil {
		links = append(links, s.chain(tok)...)
	}
	chain, err := chain.New(links, tok)
	require.NoError(g.t, err)
	rt := &snapshot.Runtime{Chain: chain, Providers: map[string]route.Provider{}, MaxBody: s.maxBody, DefaultCap: s.cap}
	if rt.MaxBody == 0 {
		rt.MaxBody = 1 << 20
	}
	main := s.provider
	if main == nil {
		main = openAI(g.t, "openai", s.url, s.client, s.timeouts)
	}
	mock, err := providers.New(providers.Settings{Name: "mock"})
	require.NoError(g.t, err)
	known := map[string][]string{}
	targets := []route.Target{{Provider: main.Name()}}
	many := make([]route.Target, 0, len(s.targets))
	for _, p := range append([]route.Provider{main, mock}, s.targets...) {
		rt.Providers[p.Name()], known[p.Name()] = p, p.Prefixes()
	}
	for _, p := range s.targets {
		many = append(many, route.Target{Provider: p.Name()})
	}
	routes := []route.Route{{Pattern: "gpt-test", Targets: targets}, {Pattern: "glob-*", Targets: targets}}
	if len(many) > 0 {
		routes = append(routes, route.Route{Pattern: "many", Targets: many})
	}
	if s.override != "" {
		routes = append(
			routes,
			route.Route{Pattern: "text-embedding-own", Targets: []route.Target{{Provider: main.Name(), ModelOverride: s.override}}},
		)
	}
	rt.Router, err = route.New(routes, known, route.OpenProviders(slices.Collect(maps.Keys(known))...))
	require.NoError(g.t, err)
	if s.runtime != nil {
		s.runtime(rt)
	}
	h := new(snapshot.Holder)
	h.Swap(snapshot.New(rt.Start(), g.keys(), 1))
	return h
}

func openAI(t testing.TB, name, url string, client upstream.Client, timeouts upstream.Timeouts) route.Provider {
	t.Helper()
	if client == nil {
		lean := upstream.NewLean(upstream.LeanOptions{})
		t.Cleanup(func() { _ = lean.Close() })
		client = lean
	}
	if url == "" {
		url = "http://127.0.0.1:1"
	}
	p, err := providers.New(providers.Settings{
		Name: name, Type: "openai", APIKey: upstreamKey, BaseURL: url, Client: client, Timeouts: timeouts,
	})
	require.NoError(t, err)
	return p
}

func (g *gate) keys() *auth.Keys {
	var keys []auth.Key
	for name, k := range map[string]auth.Key{
		"dev":       {},
		"other":     {},
		"models":    {Scopes: []string{auth.ScopeModels}},
		"chat":      {Scopes: []string{auth.ScopeCompletions}},
		"suspended": {Tenant: "tenant-s"},
		"limited":   {Models: []string{"allowed-*"}},
		"premium":   {Tier: "premium"},
		"bulk":      {Tier: "bulk"},
		"foreign":   {Tenant: "tenant-b"},
	} {
		key := auth.NewKey()
		k.ID, k.Name, k.Prefix, k.Hash = "id-"+name, name, auth.CutVisiblePrefix(key), auth.Hash(key)
		if k.Tenant == "" {
			k.Tenant = "tenant-a"
		}
		g.key[name] = key
		keys = append(keys, k)
	}
	stripping := map[string]any{hosted.Key: "strip"}
	return auth.NewKeys([]auth.Tenant{{ID: "tenant-a"}, {ID: "tenant-b", Metadata: stripping}, {ID: "tenant-s", Suspended: true}}, keys)
}
