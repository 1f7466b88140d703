package server_test

import (
	"context"
	"errors"
	"io"
	"net/http"
	"path/filepath"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// slow is a stage that says when a request has come, and waits to be let go.
type slow struct{ come, goOn chan struct{} }

func (s slow) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	close(s.come)
	<-s.goOn
	return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.ContentFiltered, Code: "x", Public: "no"}}, nil
}

type running struct {
	*server.Server
	url, key string
	ready    error
	slow     slow
}

func start(t *testing.T) *running {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite:"+filepath.Join(t.TempDir(), "x.db"))
	require.NoError(t, err)
	w := store.NewWriter(db, store.WriterOptions{})
	log, _, err := audit.Open(ctx, db, w, []byte(strings.Repeat("k", 32)))
	require.NoError(t, err)
	tel, err := telemetry.New(telemetry.Options{Out: io.Discard})
	require.NoError(t, err)
	r := &running{key: auth.NewKey(), slow: slow{make(chan struct{}), make(chan struct{})}}
	chain, err := chain.New([]chain.Link{{Name: "slow", Stage: r.slow, Phases: core.NewPhaseSet(core.Request)}}, nil)
	require.NoError(t, err)
	router, err := route.New(nil, nil)
	require.NoError(t, err)
	var h snapshot.Holder
	h.Swap(snapshot.New((&snapshot.Runtime{Chain: chain, Router: router, MaxBody: 1 << 20}).Start(),
		auth.NewKeys([]auth.Tenant{{ID: "t"}}, []auth.Key{{ID: "k", Tenant: "t", Hash: auth.Hash(r.key)}}), 1))
	r.Server, err = server.Start(server.Options{
		Listen: "127.0.0.1:0", Metrics: "127.0.0.1:0", Telemetry: tel, Status: sample,
		Ready: func(context.Context) error { return r.ready },
		Knows: func(req *http.Request, _ bool) bool { return auth.ReadCredential(req.Header) == r.key },
		Proxy: proxy.New(proxy.Options{Snapshots: &h, Audit: log, Telemetry: tel, Started: time.Now()}),
	})
	require.NoError(t, err)
	r.url = "http://" + r.Addr().String()
	t.Cleanup(func() {
		end, cancel := context.WithTimeout(ctx, 30*time.Second)
		defer cancel()
		assert.NoError(t, r.Shutdown(end))
		assert.NoError(t, errors.Join(log.Close(end), w.Close(end), db.Close(end), tel.Close()))
	})
	return r
}

func sample() server.Status {
	return server.Status{
		Status:        "ok",
		Mode:          "all",
		Version:       "1",
		UptimeSeconds: 2,
		ConfigVersion: 3,
		Warnings:      []string{},
		Providers: []server.Provider{
			{Name: "mock", Type: "mock", Health: "unknown", Capabilities: server.Capabilities{Streaming: true, MaxContextTokens: 5}},
		},
		Routes:  []server.Route{{ModelPattern: "gpt-*", Strategy: "model-prefix", Providers: []string{"mock"}}},
		Chain:   []server.Link{},
		Plugins: []server.Plugin{},
	}
}

func (r *running) ask(t *testing.T, method, path string) (*http.Response, string) {
	t.Helper()
	req, err := http.NewRequest(method, r.url+path, nil)
	require.NoError(t, err)
	res, err := http.DefaultTransport.RoundTrip(req) // follows no redirects
	require.NoError(t, err)
	defer func() { _ = res.Body.Close() }()
	b, err := io.ReadAll(res.Body)
	require.NoError(t, err)
	return res, string(b)
}
