package console

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/http/cookiejar"
	"net/http/httptest"
	"net/url"
	"strings"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	"github.com/headgate-dev/headgate/core/records/vault"
)

// plane is a gateway that is not running.
type plane struct{ admin.Plane }

func (plane) ApplyChanges() {}

// unlocked is a licence for all features.
type unlocked struct{}

func (unlocked) IsLicensed(string) bool     { return true }
func (unlocked) AllowsMoreTenants(int) bool { return true }

// testSite is a running console.
type testSite struct {
	t     testing.TB
	url   string
	db    *store.DB
	c     *Console
	from  time.Time    // the time at which the clock was stopped
	ahead atomic.Int64 // how far it was advanced since, in nanoseconds
	log   *audit.Log
}

func (s *testSite) now() time.Time { return s.from.Add(time.Duration(s.ahead.Load())) }

const testPassword = "correct horse battery staple"

// serveSite serves a console over its own database.
func serveSite(t testing.TB, change func(*Options, *auth.AdminOptions)) *testSite {
	t.Helper()
	s := &testSite{t: t, from: time.Now()}
	s.db = storetest.Open(t, storetest.CreateSQLite(t), store.WithClock(s.now))
	m, _, err := vault.LoadMaster(t.Context(), s.db, "a long enough password for tests")
	require.NoError(t, err)
	box, err := m.NewBox("console sign-in")
	require.NoError(t, err)
	w := store.NewWriter(s.db, store.WriterOptions{})
	s.log, _, err = audit.Open(t.Context(), s.db, w, m.AuditKey())
	require.NoError(t, err)
	ids := 0
	service := admin.New(admin.Options{
		Store: s.db, Audit: s.log, License: unlocked{}, Plane: plane{}, Now: s.now, AuditKey: m.AuditKey(), KeyGrace: time.Hour,
		NewID: func() string { ids++; return fmt.Sprintf("id%d", ids) },
	})
	ao := auth.AdminOptions{Store: s.db, Recorder: admin.Access{Audit: s.log}, Now: s.now, Report: func(err error) { t.Error(err) }}
	o := Options{Service: service, Passwords: true, Box: box, Now: s.now, Ready: func(context.Context) error { return nil }}
	if change != nil {
		change(&o, &ao)
	}
	o.Auth = auth.NewAdmin(ao)
	s.c, err = New(o)
	require.NoError(t, err)
	srv := httptest.NewServer(s.c)
	s.url = srv.URL
	t.Cleanup(func() {
		srv.Close()
		o.Auth.Close()
		assert.NoError(t, errors.Join(s.log.Close(context.Background()), w.Close(context.Background())))
	})
	return s
}

// user adds a user; roles of a tenant are those of the tenant t1, which is created with them.
func (s *testSite) user(name string, roles ...auth.Role) store.User {
	s.t.Helper()
	u := store.User{
		ID: "u-" + name, Email: name + "@example.com", Name: name, Roles: auth.ListRoleNames(roles), Status: store.UserActive,
		Password: hashOnce(),
	}
	if len(roles) > 0 && !roles[0].IsPlatform() {
		u.TenantID = "t1"
		err := s.db.Tenants().Insert(s.t.Context(), store.Tenant{ID: "t1", Name: "One", Status: "active", Tier: "standard"})
		if !errors.Is(err, store.ErrExists) {
			require.NoError(s.t, err)
		}
	}
	u, err := s.db.Users().Insert(s.t.Context(), u)
	require.NoError(s.t, err)
	return u
}

// browser is a user's browser: it keeps cookies, and sends the headers of browsers.
type browser struct {
	*http.Client
	s *testSite
}

func (s *testSite) browser() *browser {
	jar, err := cookiejar.New(nil)
	require.NoError(s.t, err)
	return &browser{&http.Client{Jar: jar, CheckRedirect: func(*http.Request, []*http.Request) error { return http.ErrUseLastResponse }}, s}
}

// signedIn returns the browser of a user who is signed in, without using the form.
func (s *testSite) signedIn(u store.User) *browser {
	s.t.Helper()
	b := s.browser()
	session, err := s.c.Auth.StartSession(s.t.Context(), &u)
	require.NoError(s.t, err)
	at, err := url.Parse(s.url)
	require.NoError(s.t, err)
	b.Jar.SetCookies(at, []*http.Cookie{{Name: "headgate_session", Value: session.ID}})
	return b
}

// reply is the answer of a page.
type reply struct {
	status   int
	header   http.Header
	body, to string
	cookies  []*http.Cookie
}

func (b *browser) do(method, path string, form url.Values, header ...string) reply {
	b.s.t.Helper()
	if !strings.HasPrefix(path, "http") {
		path = b.s.url + path
	}
	req, err := http.NewRequest(method, path, strings.NewReader(form.Encode()))
	require.NoError(b.s.t, err)
	if method == http.MethodPost {
		req.Header.Set("Content-Type", "application/x-www-form-urlencoded")
		req.Header.Set("Sec-Fetch-Site", "same-origin")
	}
	for i := 0; i+1 < len(header); i += 2 {
		if header[i] == "Host" {
			req.Host = header[i+1]
			continue
		}
		req.Header.Del(header[i])
		if header[i+1] != "" {
			req.Header.Set(header[i], header[i+1])
		}
	}
	resp, err := b.Do(req)
	require.NoError(b.s.t, err)
	text, err := io.ReadAll(resp.Body)
	require.NoError(b.s.t, err)
	require.NoError(b.s.t, resp.Body.Close())
	return reply{resp.StatusCode, resp.Header, string(text), resp.Header.Get("Location"), resp.Cookies()}
}

func (b *browser) get(path string, header ...string) reply {
	b.s.t.Helper()
	return b.do(http.MethodGet, path, nil, header...)
}

func (b *browser) post(path string, form url.Values, header ...string) reply {
	b.s.t.Helper()
	return b.do(http.MethodPost, path, form, header...)
}

// session returns the session cookie of the browser, or "".
func (b *browser) session() string {
	at, err := url.Parse(b.s.url)
	require.NoError(b.s.t, err)
	for _, k := range b.Jar.Cookies(at) {
		if k.Name == "headgate_session" {
			return k.Value
		}
	}
	return ""
}

func (s *testSite) logIn(email, password string, header ...string) (*browser, reply) {
	s.t.Helper()
	b := s.browser()
	return b, b.post("/login", url.Values{"email": {email}, "password": {password}}, header...)
}
