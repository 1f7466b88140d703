package rest_test

import (
	"bytes"
	"cmp"
	"context"
	"crypto/ed25519"
	"crypto/sha256"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/httptest"
	"slices"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/gin-gonic/gin"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/manage/admin/rest"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	"github.com/headgate-dev/headgate/core/records/vault"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/schema"
)

// api is an administrative API over a real store, and a client of it.
type api struct {
	t       testing.TB
	url     string
	db      *store.DB
	mounted *rest.API
	plane   *plane
	tools   *toolServers
	peers   *directory
	license *license
	now     *atomic.Int64 // microseconds
	guarded atomic.Bool   // exports through the API

	subscribers subscribers
	vault       *vault.Vault
	faults      atomic.Pointer[error]

	keeper   *admin.LicenseKeeper
	signer   ed25519.PrivateKey // the key of licences
	auditKey []byte
	log      *audit.Log
}

// onEach runs a test against an API over each database.
func onEach(t *testing.T, test func(t *testing.T, a *api)) {
	t.Helper()
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) { test(t, newAPI(t, db)) })
}

// start is the time at which each test begins.
var start = time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)

func newAPI(t testing.TB, db *store.DB) *api {
	a := &api{t: t, db: db, plane: &plane{}, tools: &toolServers{db: db}, peers: &directory{}, license: &license{most: 3}, now: &atomic.Int64{}}
	a.now.Store(start.UnixMicro())
	now := func() time.Time { return time.UnixMicro(a.now.Load()).UTC() }
	m, _, err := vault.LoadMaster(t.Context(), db, "a long enough password for tests")
	require.NoError(t, err)
	box, err := m.NewBox("replies")
	require.NoError(t, err)
	w := store.NewWriter(db, store.WriterOptions{})
	log, _, err := audit.Open(t.Context(), db, w, m.AuditKey())
	require.NoError(t, err)
	hooks, err := m.NewBox("webhooks")
	require.NoError(t, err)
	a.subscribers = newSubscribers(t, db, hooks, now)
	a.vault, err = vault.New(db, w, m, vault.Options{Clock: now})
	require.NoError(t, err)
	ids := 0
	newID := func() string { ids++; return fmt.Sprintf("id%d", ids) }
	_, a.signer, err = ed25519.GenerateKey(nil)
	require.NoError(t, err)
	a.keeper = &admin.LicenseKeeper{Store: db, Audit: log, Keys: []ed25519.PublicKey{a.signer.Public().(ed25519.PublicKey)}, Now: now}
	a.auditKey, a.log = m.AuditKey(), log
	gin.SetMode(gin.ReleaseMode)
	e := gin.New()
	a.mounted = rest.Mount(e, rest.Options{
		Service: admin.New(admin.Options{
			Store:         db,
			Audit:         log,
			License:       a.license,
			Plane:         a.plane,
			Folder:        a.plane,
			Ledger:        a.plane,
			Tools:         a.tools,
			Peers:         a.peers,
			AgentBox:      hooks,
			ServerBox:     hooks,
			Now:           now,
			KeyGrace:      24 * time.Hour,
			NewID:         newID,
			WebhookBox:    hooks,
			PluginBox:     hooks,
			Subscribers:   a.subscribers,
			Upstreams:     upstreams{openWith(hooks)},
			ProviderBox:   hooks,
			CheckSchema:   schema.Check,
			Vault:         values{a.vault},
			LicenseKeeper: a.keeper,
			AuditKey:      a.auditKey,
			GuardExports:  a.guarded.Load,
			PolicyService: policies.New(
				policies.Options{Store: db, NewID: newID, Language: policy.Language{Now: now, Providers: func() []string { return []string{"mock"} }}},
			),
		}),
		Auth:    roles{},
		Replies: &admin.Replies{Store: db, Box: box, Now: now},
		Failed:  func(_ context.Context, err error) { a.faults.Store(&err) },
		Trace:   func(h http.Header) string { return h.Get("X-Trace-Id") },
	})
	srv := httptest.NewServer(e)
	a.url = srv.URL
	t.Cleanup(func() {
		srv.Close()
		require.NoError(t, errors.Join(log.Close(context.Background()), w.Close(context.Background())))
		checkEventFields(t, db)
		if err := a.faults.Load(); err != nil {
			t.Errorf("a fault: %v", *err)
		}
	})
	return a
}

// roles authenticates callers by a role as the token: "owner", or "admin@tenant". The id of a user may follow, and then
// the id of an actor: "viewer@tenant@user", "viewer@tenant@@jwt:subject". "anybody@tenant" is a caller in tests where
// roles do not matter.
type roles struct{}

func (roles) Authenticate(_ context.Context, r *http.Request) (*auth.Actor, error) {
	part := append(strings.Split(strings.TrimPrefix(r.Header.Get("Authorization"), "Bearer "), "@"), "", "", "")
	role, ok := auth.ParseRole(part[0])
	if part[0] == "anybody" {
		return &auth.Actor{ID: "user:anybody", UserID: part[2], Tenant: part[1], Via: auth.ViaPAT, Unchecked: true}, nil
	}
	if !ok {
		return nil, &core.Error{Kind: core.Unauthenticated, Code: core.CodeUnauthorized, Public: "who are you"}
	}
	who := &auth.Actor{ID: cmp.Or(part[3], "user:"+part[0]), UserID: part[2], Roles: []auth.Role{role}, Tenant: part[1], Via: auth.ViaPAT}
	if subject, ok := strings.CutPrefix(who.ID, "jwt:"); ok {
		who.Via, who.Subject, who.Email = auth.ViaJWT, "https://issuer "+subject, subject+"@example.com"
	}
	return who, nil
}

type license struct {
	features map[string]bool
	most     int
}

func (l *license) IsLicensed(f string) bool { return l.features[f] }

func (l *license) AllowsMoreTenants(n int) bool { return n < l.most }

// plane is a gateway with one provider, mock.
type plane struct {
	woken  atomic.Int64
	routes []admin.Route

	folder   map[string]string // digests by file
	promoted bool
	earlier  string
}

func (p *plane) ApplyChanges() { p.woken.Add(1) }

func (p *plane) Routes() []admin.Route { return p.routes }

func (p *plane) CheckRoute(r route.Route) error {
	for _, t := range r.Targets {
		if t.Provider != "mock" {
			return fmt.Errorf("unknown provider %q", t.Provider)
		}
	}
	return nil
}

func (p *plane) FindCapabilities(name string) (route.Capabilities, bool) {
	return route.Capabilities{Streaming: true, MaxContextTokens: 8192}, name == "mock"
}

func (p *plane) Latencies() []route.LatencyRecord {
	return []route.LatencyRecord{{Provider: "mock", Model: "m", EWMA: 1.5, Raw: 2, Samples: 3, Updated: start}}
}

func (p *plane) ResolveLayout(l *config.Layout) (admin.ArrangedChain, error) {
	cfg, warnings, err := config.Load(
		config.Source{
			Layout:  l,
			Default: []byte(chainFile),
			Known:   config.Known{Providers: []string{"mock"}, Stages: []string{"pii", "policy", "cache", "guardrail"}},
		},
	)
	if err != nil {
		return admin.ArrangedChain{}, err
	}
	out := admin.ArrangedChain{Warnings: warnings}
	for _, l := range cfg.Chain {
		out.Links = append(
			out.Links,
			admin.ChainLink{Name: l.Name, Kind: l.Kind(), Runs: l.Stage, Mode: string(l.Mode), OnFault: string(l.OnFault)},
		)
	}
	return out, nil
}

func (p *plane) CheckAdded(l *config.Layout) error {
	if slices.ContainsFunc(l.Added, func(a config.AddedLink) bool { return a.Config["types"] == "NOTHING" }) {
		return errors.New(`type "NOTHING" is unknown`)
	}
	return nil
}

func (p *plane) Plugins() []admin.Plugin {
	var out []admin.Plugin
	for file, digest := range p.folder {
		out = append(out, admin.Plugin{File: file, Digest: digest, State: "live"})
	}
	return out
}

// Install accepts files that begin like a module.
func (p *plane) Install(_ context.Context, u admin.PluginUpload) (admin.PluginInstalled, error) {
	if !bytes.HasPrefix(u.Module, []byte("\x00asm")) {
		return admin.PluginInstalled{}, &admin.RefusedPlugin{Reason: errors.New("it is not a WebAssembly module")}
	}
	sum := sha256.Sum256(u.Module)
	if p.folder == nil {
		p.folder = map[string]string{}
	}
	p.folder[u.File] = hex.EncodeToString(sum[:])
	return admin.PluginInstalled{File: u.File, Name: string(u.Manifest), Digest: p.folder[u.File]}, nil
}

func (p *plane) Inspect(_ context.Context, file string) (admin.PluginInspection, bool, error) {
	digest, ok := p.folder[file]
	return admin.PluginInspection{File: file, Digest: digest, Labels: []string{"card"}}, ok, nil
}

func (p *plane) Rollback(_ context.Context, file string) (admin.PluginInstalled, bool, error) {
	if p.earlier == "" {
		return admin.PluginInstalled{}, false, nil
	}
	p.folder[file], p.earlier = p.earlier, ""
	return admin.PluginInstalled{File: file, Digest: p.folder[file]}, true, nil
}

func (p *plane) Remove(_ context.Context, file string) (bool, error) {
	_, ok := p.folder[file]
	delete(p.folder, file)
	return ok, nil
}

func (p *plane) Decide(_ context.Context, file, digest string, promote bool) (bool, error) {
	p.promoted = promote
	return p.folder[file] == digest, nil
}

// chainFile is the configuration of the plane.
const chainFile = `
providers: {mock: {}}
routes: [{model_pattern: "*", providers: [{provider: mock}]}]
chain:
  - stage: policy
  - stage: pii
  - {stage: cache, name: answers}
`

func (p *plane) Priority() route.PriorityStats { return route.PriorityStats{Max: 7} }

// reply is the answer to a request.
type reply struct {
	t      testing.TB
	status int
	header http.Header
	text   string
}

// sendAs sends a request with a role, "" for none. body is JSON text, or a value.
func (a *api) sendAs(role, method, path string, body any, header ...string) reply {
	a.t.Helper()
	var r io.Reader
	switch v := body.(type) {
	case nil:
	case string:
		r = strings.NewReader(v)
	default:
		b, err := json.Marshal(v)
		require.NoError(a.t, err)
		r = bytes.NewReader(b)
	}
	req, err := http.NewRequestWithContext(a.t.Context(), method, a.url+path, r)
	require.NoError(a.t, err)
	if role != "" {
		req.Header.Set("Authorization", "Bearer "+role)
	}
	if r != nil {
		req.Header.Set("Content-Type", "application/json")
	}
	for i := 0; i+1 < len(header); i += 2 {
		req.Header.Set(header[i], header[i+1])
	}
	res, err := http.DefaultClient.Do(req)
	require.NoError(a.t, err)
	defer func() { require.NoError(a.t, res.Body.Close()) }()
	b, err := io.ReadAll(res.Body)
	require.NoError(a.t, err)
	return reply{a.t, res.StatusCode, res.Header, string(b)}
}

// do sends a request as an owner.
func (a *api) do(method, path string, body any, header ...string) reply {
	a.t.Helper()
	return a.sendAs("owner", method, path, body, header...)
}

// is requires the status.
func (r reply) is(status int) reply {
	r.t.Helper()
	require.Equal(r.t, status, r.status, r.text)
	return r
}

// requireRefusal requires an error of the status and code, and returns its message.
func (r reply) requireRefusal(status int, code string) string {
	r.t.Helper()
	r.is(status)
	var p struct {
		Error struct{ Type, Code, Message, Param string }
	}
	require.NoError(r.t, json.Unmarshal([]byte(r.text), &p), r.text)
	require.Equal(r.t, code, p.Error.Code, r.text)
	require.NotEmpty(r.t, p.Error.Type, r.text)
	require.NotEmpty(r.t, p.Error.Message, r.text)
	return p.Error.Message
}

// field returns a field of the answer, by its path.
func (r reply) field(path ...any) any {
	r.t.Helper()
	var v any
	d := json.NewDecoder(strings.NewReader(r.text))
	d.UseNumber()
	require.NoError(r.t, d.Decode(&v), r.text)
	for _, p := range path {
		switch p := p.(type) {
		case string:
			m, ok := v.(map[string]any)
			require.True(r.t, ok, "%v of %s", path, r.text)
			v, ok = m[p]
			require.True(r.t, ok, "%v of %s", path, r.text)
		case int:
			l, ok := v.([]any)
			require.True(r.t, ok && p < len(l), "%v of %s", path, r.text)
			v = l[p]
		}
	}
	return v
}

// str returns a field that is a string.
func (r reply) str(path ...any) string {
	r.t.Helper()
	s, ok := r.field(path...).(string)
	require.True(r.t, ok, "%v of %s", path, r.text)
	return s
}

// readNextPath returns the path of the next page, or "" on the last one.
func (r reply) readNextPath() string {
	path, _, _ := strings.Cut(strings.TrimPrefix(r.header.Get("Link"), "<"), ">")
	return path
}

// len returns the length of a list.
func (r reply) len(path ...any) int {
	r.t.Helper()
	l, ok := r.field(path...).([]any)
	require.True(r.t, ok, "%v of %s", path, r.text)
	return len(l)
}

// events returns the types of the audit events about a tenant, newest first.
func (a *api) events(tenant string) []string {
	a.t.Helper()
	var out []string
	err := a.db.Audit().Visit(a.t.Context(), store.AuditFilter{Tenant: tenant}, func(r *store.AuditRecord) error {
		if tenant == "" || r.Tenant == tenant {
			out = append(out, strings.Clone(r.Type))
		}
		return nil
	})
	require.NoError(a.t, err)
	return out
}
