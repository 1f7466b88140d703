package batch_test

import (
	"bytes"
	"context"
	"fmt"
	"net/http"
	"net/http/httptest"
	"net/url"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/providers"
)

const generous = 30 * time.Second

// people are who may call, by key.
var people = map[string]*core.Principal{
	"dev":       {Tenant: "acme", KeyID: "k-dev", KeyPrefix: "gw_dev", Lineage: "k-dev", Scopes: []string{auth.ScopeBatches}},
	"mate":      {Tenant: "acme", KeyID: "k-mate", KeyPrefix: "gw_mate", Lineage: "k-mate"},
	"foreign":   {Tenant: "other", KeyID: "k-foreign", KeyPrefix: "gw_foreign", Lineage: "k-foreign"},
	"chatter":   {Tenant: "acme", KeyID: "k-chat", KeyPrefix: "gw_chat", Lineage: "k-chat", Scopes: []string{auth.ScopeCompletions}},
	"suspended": {Tenant: "acme", KeyID: "k-dev", KeyPrefix: "gw_dev", Lineage: "k-dev", Suspended: true},
}

type keys struct{}

func (keys) Authenticate(r *http.Request, _ time.Time) (*core.Principal, *core.Error) {
	if p := people[strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer ")]; p != nil {
		return p, nil
	}
	return nil, &core.Error{Kind: core.Unauthenticated, Code: core.CodeUnauthorized, Public: "who are you"}
}

// routes are by the model, and by model@region where that has its own. Clients do not reach models that start with
// "closed-".
type routes map[string][2]string

func (r routes) FindTarget(model, region string, chosen bool) (provider, target string, ok bool) {
	if !chosen && strings.HasPrefix(model, "closed-") {
		return "", "", false
	}
	t, ok := r[model+"@"+region]
	if !ok {
		t, ok = r[model]
	}
	return t[0], t[1], ok
}

type checks func(p *core.Principal, m batch.Model) *core.Error

func (c checks) CheckModel(_ context.Context, p *core.Principal, m batch.Model) *core.Error {
	return c(p, m)
}

// gate is a service on loopback in front of a scripted provider.
type gate struct {
	t       testing.TB
	url     string
	dir     string
	db      *store.DB
	vendor  *vendor
	mock    backend.Local
	client  upstream.Client
	service *batch.Service
	stop    func()

	mu     sync.Mutex
	rules  batch.Rules
	events []audit.Event
	booked []meter.Record
	lost   []string
	panics []chain.FinishPanic
	now    time.Time
	refuse error // what the audit log answers
}

func open(t testing.TB, change func(*batch.Options)) *gate {
	g := &gate{
		t:      t,
		dir:    t.TempDir(),
		vendor: newVendor(t),
		mock:   providers.NewBatchMock(),
		now:    time.Now(),
		client: upstream.NewLean(upstream.LeanOptions{}),
	}
	base, err := url.Parse(g.vendor.url + "/v1")
	require.NoError(t, err)
	remote := providers.NewBatchOpenAI(providers.BatchSettings{
		Label: "OpenAI", Base: base, Client: g.client, Header: []upstream.Field{{Name: "Authorization", Value: "Bearer sk-own"}},
		Timeouts: upstream.Timeouts{Connect: generous, FirstByte: generous, Idle: generous},
	})
	g.rules = batch.Rules{
		Keys: keys{},
		Router: routes{
			"gpt-4o":      {"openai", "gpt-4o-2024"},
			"mini":        {"openai", "gpt-4o-mini"},
			"closed-mini": {"openai", "gpt-4o-mini"},
			"fast":        {"openai", "gpt-4o-2024"},
			"own":         {"openai", "our-deployment"},
			"mock-echo":   {"mock", "mock-echo"},
			"claude":      {"anthropic", "claude"},
		},
		Backends: map[string]backend.Backend{"openai": remote, "mock": g.mock},
	}
	g.start(change)
	t.Cleanup(func() {
		g.stop()
		assert.NoError(t, g.client.Close())
		assert.Empty(t, tempFiles(t, g.dir), "nothing is left behind")
	})
	return g
}

func (g *gate) notePanic(p chain.FinishPanic) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.panics = append(g.panics, p)
}

func tempFiles(t testing.TB, dir string) []string {
	found, err := filepath.Glob(filepath.Join(dir, "headgate-batch-*"))
	require.NoError(t, err)
	return found
}

// start opens the database and serves it.
func (g *gate) start(change func(*batch.Options)) {
	var err error
	g.db, err = store.Open(context.Background(), "sqlite:"+filepath.Join(g.dir, "x.db"))
	require.NoError(g.t, err)
	o := batch.Options{
		Store: g.db, TempDir: g.dir, Watch: time.Hour,
		Rules: func() batch.Rules {
			g.mu.Lock()
			defer g.mu.Unlock()
			return g.rules
		},
		Dialect: func(url string) core.Dialect {
			if url == "/v1/chat/completions" {
				return openai.Chat{}
			}
			return nil
		},
		Audit: func(_ context.Context, e audit.Event) error {
			g.mu.Lock()
			defer g.mu.Unlock()
			e.Payload = bytes.Clone(e.Payload)
			g.events = append(g.events, e)
			return g.refuse
		},
		Book: func(_ context.Context, r *meter.Record) error {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.booked = append(g.booked, *r)
			return nil
		},
		Lost: func(what, id string, err error) {
			g.mu.Lock()
			defer g.mu.Unlock()
			g.lost = append(g.lost, fmt.Sprint(what, " ", id, " ", err))
		},
		Panicked: func(id string, v any, stack []byte) { g.t.Errorf("panic: %v\n%s", v, stack) },
		Clock: func() time.Time {
			g.mu.Lock()
			defer g.mu.Unlock()
			return g.now
		},
	}
	if change != nil {
		change(&o)
	}
	g.service = batch.New(o)
	mux := http.NewServeMux()
	for _, r := range g.service.Routes() {
		mux.HandleFunc(r.Method+" "+r.Pattern, r.Handle)
	}
	srv := httptest.NewServer(mux)
	g.url = srv.URL
	g.stop = func() {
		srv.Close()
		g.service.Close()
		require.NoError(g.t, g.db.Close(context.Background()))
	}
}

// restart is a new process over the same database.
func (g *gate) restart() {
	g.stop()
	g.mock = providers.NewBatchMock()
	g.rule(func(r *batch.Rules) { r.Backends["mock"] = g.mock })
	g.start(nil)
}

// rule changes the rules from now on.
func (g *gate) rule(change func(*batch.Rules)) {
	g.mu.Lock()
	defer g.mu.Unlock()
	change(&g.rules)
}

func (g *gate) pass(d time.Duration) {
	g.mu.Lock()
	defer g.mu.Unlock()
	g.now = g.now.Add(d)
}
