package auth_test

import (
	"context"
	"errors"
	"fmt"
	"net/http"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// heard keeps what the audit chain would be told.
type heard struct {
	mu       sync.Mutex
	success  []string
	failures []auth.Failure
	err      error
}

func (h *heard) RecordSuccess(_ context.Context, a *auth.Actor, address string) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	if h.err != nil {
		return h.err
	}
	h.success = append(h.success, a.ID+" from "+address)
	return nil
}

func (h *heard) RecordFailure(_ context.Context, f auth.Failure) error {
	h.mu.Lock()
	defer h.mu.Unlock()
	h.failures = append(h.failures, f)
	return h.err
}

// idp takes tokens by their text.
type idp map[string]*auth.Actor

func (p idp) Verify(_ context.Context, token string) (*auth.Actor, error) {
	switch token {
	case "no.role.x":
		return nil, &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: "your token has no role"}
	case "is.away.x":
		return nil, &core.Error{Kind: core.Unavailable, Code: core.CodeOverloaded, Public: "away"}
	}
	if a, ok := p[token]; ok {
		return a, nil
	}
	return nil, &auth.Refusal{Reason: "expired JWT"}
}

type scene struct {
	*auth.Admin
	db    *store.DB
	heard *heard
	now   time.Time
	mu    sync.Mutex
	ctx   context.Context
}

func (s *scene) clock() time.Time { s.mu.Lock(); defer s.mu.Unlock(); return s.now }

func (s *scene) step(d time.Duration) { s.mu.Lock(); defer s.mu.Unlock(); s.now = s.now.Add(d) }

func newScene(t *testing.T, change func(*auth.AdminOptions)) *scene {
	t.Helper()
	return newSceneOn(t, storetest.CreateSQLite(t), change)
}

func newSceneOn(t *testing.T, url string, change func(*auth.AdminOptions)) *scene {
	t.Helper()
	s := &scene{heard: new(heard), now: time.Date(2026, 3, 4, 5, 6, 7, 0, time.UTC)}
	s.ctx = auth.WithAddress(context.Background(), "192.0.2.1:4711")
	s.db = storetest.Open(t, url, store.WithClock(s.clock))
	o := auth.AdminOptions{Store: s.db, Recorder: s.heard, Now: s.clock, Report: func(err error) { assert.NoError(t, err) }}
	if change != nil {
		change(&o)
	}
	s.Admin = auth.NewAdmin(o)
	t.Cleanup(s.Close)
	_, err := s.db.Tenants().Upsert(s.ctx, store.Tenant{ID: "t1", Name: "T", Status: "active", Source: store.SourceAPI})
	require.NoError(t, err)
	return s
}

// token makes a user with a token.
func (s *scene) token(t *testing.T, id, tenant string, roles ...string) string {
	t.Helper()
	_, err := s.db.Users().Insert(
		s.ctx,
		store.User{
			ID:       id,
			Email:    id + "@example.com",
			Name:     strings.ToUpper(id),
			Password: "x",
			Roles:    roles,
			TenantID: tenant,
			Status:   store.UserActive,
		},
	)
	require.NoError(t, err)
	plain := auth.NewPAT()
	_, err = s.db.PATs().Insert(
		s.ctx,
		store.PAT{
			ID:       "p-" + id,
			UserID:   id,
			Name:     "ci",
			Prefix:   auth.CutVisiblePATPrefix(plain),
			Hash:     auth.Hash(plain),
			Roles:    roles,
			TenantID: tenant,
			Source:   store.SourceAPI,
		},
	)
	require.NoError(t, err)
	return plain
}

func readBearerToken(token string) http.Header {
	return http.Header{"Authorization": {"Bearer " + token}}
}

func requireUnauthorized(t *testing.T, err error) string {
	t.Helper()
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 401, e.HTTPStatus())
	assert.Equal(t, "UNAUTHORIZED", e.Code)
	assert.Equal(t, "authentication_error", e.Type())
	return e.Public
}

func TestATokenCarriesTheRolesOfItsUser(t *testing.T) {
	s := newScene(t, nil)
	who, err := s.Authenticate(s.ctx, readBearerToken(s.token(t, "ada", "t1", "admin", "viewer")))
	require.NoError(t, err)
	assert.Equal(
		t,
		&auth.Actor{
			ID:     "pat:p-ada",
			UserID: "ada",
			Name:   "ADA",
			Roles:  []auth.Role{auth.RoleAdmin, auth.RoleViewer},
			Tenant: "t1",
			Via:    auth.ViaPAT,
		},
		who,
	)
}

func TestTwoTokensAreOnePerson(t *testing.T) {
	s := newScene(t, nil)
	first, err := s.Authenticate(s.ctx, readBearerToken(s.token(t, "ada", "", "owner")))
	require.NoError(t, err)
	plain := auth.NewPAT()
	_, err = s.db.PATs().Insert(
		s.ctx,
		store.PAT{ID: "second", UserID: "ada", Hash: auth.Hash(plain), Roles: []string{"owner"}, Source: store.SourceAPI},
	)
	require.NoError(t, err)
	second, err := s.Authenticate(s.ctx, readBearerToken(plain))
	require.NoError(t, err)
	assert.NotEqual(t, first.ID, second.ID)
	assert.Equal(t, first.Person(), second.Person())
	other, err := s.Authenticate(s.ctx, readBearerToken(s.token(t, "bob", "", "owner")))
	require.NoError(t, err)
	assert.NotEqual(t, first.Person(), other.Person())
	assert.Equal(t, "cli", (&auth.Actor{ID: "cli"}).Person())
}

func TestATokenNeverMayMoreThanItsUserStillMay(t *testing.T) {
	s := newScene(t, nil)
	s.token(t, "boss", "", "owner")
	h := readBearerToken(s.token(t, "ada", "", "owner", "policy-admin"))
	_, err := s.db.Users().Change(s.ctx, "ada", func(u *store.User) error { u.Roles = []string{"policy-admin", "billing-admin"}; return nil })
	require.NoError(t, err)
	who, err := s.Authenticate(s.ctx, h)
	require.NoError(t, err)
	assert.Equal(t, []auth.Role{auth.RolePolicyAdmin}, who.Roles, "neither what was taken away nor what came later")
}

func TestEveryRefusalLooksTheSame(t *testing.T) {
	s := newScene(t, func(o *auth.AdminOptions) { o.JWT = idp{} })
	good, revoked, expired := s.token(t, "good", "", "owner"), s.token(t, "revoked", "", "owner"), auth.NewPAT()
	_, _, err := s.db.PATs().Revoke(s.ctx, "p-revoked", func(*store.PAT) error { return nil })
	require.NoError(t, err)
	_, err = s.db.PATs().Insert(
		s.ctx,
		store.PAT{ID: "old", UserID: "good", Hash: auth.Hash(expired), Roles: []string{"owner"}, ExpiresAt: s.clock(), Source: store.SourceAPI},
	)
	require.NoError(t, err)
	disabled := s.token(t, "disabled", "", "owner")
	_, err = s.db.Users().Change(s.ctx, "disabled", func(u *store.User) error { u.Status = store.UserDisabled; return nil })
	require.NoError(t, err)
	moved := s.token(t, "moved", "t1", "viewer")
	_, err = s.db.Users().Change(s.ctx, "moved", func(u *store.User) error { u.TenantID, u.Roles = "", []string{"owner"}; return nil })
	require.NoError(t, err)
	key := auth.NewKey()
	require.NoError(
		t,
		s.db.Keys().Insert(s.ctx, store.Key{ID: "k", TenantID: "t1", Hash: auth.Hash(key), Status: store.KeyActive, Source: store.SourceAPI}),
	)

	texts := map[string]bool{}
	cases := map[string]struct {
		h      http.Header
		reason string
	}{
		"nothing":               {http.Header{}, "no bearer token"},
		"another scheme":        {http.Header{"Authorization": {"Basic " + good}}, "no bearer token"},
		"another header":        {http.Header{"X-Api-Key": {good}}, "no bearer token"},
		"two headers":           {http.Header{"Authorization": {"Bearer " + good, "Bearer " + good}}, "no bearer token"},
		"an unknown token":      {readBearerToken(auth.NewPAT()), "unknown token"},
		"a token cut off":       {readBearerToken(good[:len(good)-1]), "unknown token"},
		"a token and more":      {readBearerToken(good + "x"), "unknown token"},
		"a token in other case": {readBearerToken(strings.ToUpper(good)), "expired JWT"},
		"a revoked token":       {readBearerToken(revoked), "revoked token"},
		"an expired token":      {readBearerToken(expired), "expired token"},
		"a disabled user":       {readBearerToken(disabled), "token of a disabled user"},
		"a user who moved":      {readBearerToken(moved), "token of a user who has left the tenant"},
		"a gateway key":         {readBearerToken(key), "a gateway key"},
		"a JWT":                 {readBearerToken("a.b.c"), "expired JWT"},
		"a huge token":          {readBearerToken(strings.Repeat("a", 16<<10+1)), "the token is too long"},
		"a huge access token":   {readBearerToken(auth.PATPrefix + strings.Repeat("a", 1<<20)), "the token is too long"},
	}
	for name, c := range cases {
		who, err := s.Authenticate(s.ctx, c.h)
		assert.Nil(t, who, name)
		texts[requireUnauthorized(t, err)] = true
		require.NotEmpty(t, s.heard.failures, name)
		f := s.heard.failures[len(s.heard.failures)-1]
		assert.Equal(t, c.reason, f.Reason, name)
		assert.Equal(t, "192.0.2.1", f.Address, name)
		assert.LessOrEqual(t, len(f.Prefix), 20, name)
	}
	assert.Len(t, texts, 1, "a client cannot tell one refusal from another")
	assert.Len(t, s.heard.failures, len(cases))
	assert.Empty(t, s.heard.success)
	_, err = s.Authenticate(s.ctx, readBearerToken(good))
	require.NoError(t, err)
}

func TestJWTsWorkOnlyWhereThereIsAnIdentityProvider(t *testing.T) {
	who := &auth.Actor{ID: "jwt:ada", Roles: []auth.Role{auth.RoleOwner}, Via: auth.ViaJWT, Subject: "iss ada"}
	with, without := newScene(t, func(o *auth.AdminOptions) { o.JWT = idp{"a.b.c": who} }), newScene(t, nil)
	got, err := with.Authenticate(with.ctx, readBearerToken("a.b.c"))
	require.NoError(t, err)
	assert.Equal(t, who, got)
	_, err = without.Authenticate(without.ctx, readBearerToken("a.b.c"))
	requireUnauthorized(t, err)
	for _, s := range []*scene{with, without} {
		_, err = s.Authenticate(s.ctx, readBearerToken(s.token(t, "bob", "", "owner")))
		require.NoError(t, err, "personal access tokens work in every mode")
	}
}

func TestARefusalForItsHolderIsTold(t *testing.T) {
	s := newScene(t, func(o *auth.AdminOptions) { o.JWT = idp{} })
	_, err := s.Authenticate(s.ctx, readBearerToken("no.role.x"))
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 403, e.HTTPStatus())
	assert.Equal(t, "your token has no role", s.heard.failures[0].Reason)
	_, err = s.Authenticate(s.ctx, readBearerToken("is.away.x"))
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 503, e.HTTPStatus())
	assert.Len(t, s.heard.failures, 1, "an unavailable provider does not count as a failed attempt")
}

func TestAUserOfTheProviderWhoIsDisabledHereStaysOut(t *testing.T) {
	claims := &auth.Actor{ID: "jwt:ada", Roles: []auth.Role{auth.RoleViewer}, Tenant: "t1", Via: auth.ViaJWT, Subject: "iss ada"}
	s := newScene(t, func(o *auth.AdminOptions) { o.JWT = idp{"a.b.c": claims} })
	_, err := s.db.Users().Insert(
		s.ctx,
		store.User{ID: "u", Email: "a@example.com", Subject: "iss ada", Roles: []string{"admin"}, TenantID: "t1", Status: store.UserActive},
	)
	require.NoError(t, err)
	plain := auth.NewPAT()
	_, err = s.db.PATs().Insert(
		s.ctx,
		store.PAT{ID: "p", UserID: "u", Hash: auth.Hash(plain), Roles: []string{"admin", "viewer"}, TenantID: "t1", Source: store.SourceAPI},
	)
	require.NoError(t, err)
	who, err := s.Authenticate(s.ctx, readBearerToken("a.b.c"))
	require.NoError(t, err)
	assert.Equal(t, "u", who.UserID)
	person := who.Person()
	assert.Equal(t, claims.Person(), person, "before and after a user was made of them")
	who, err = s.Authenticate(s.ctx, readBearerToken(plain))
	require.NoError(t, err)
	assert.Equal(t, person, who.Person(), "a token does not count as a second person")
	assert.Equal(t, []auth.Role{auth.RoleViewer}, who.Roles, "what the provider says holds for their tokens too")

	_, err = s.db.Users().Change(s.ctx, "u", func(u *store.User) error { u.Status = store.UserDisabled; return nil })
	require.NoError(t, err)
	_, err = s.Authenticate(s.ctx, readBearerToken("a.b.c"))
	requireUnauthorized(t, err)
}

func TestARevokedTokenEndsWithTheNextRequestOnEveryNode(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		s := newSceneOn(t, url, nil)
		h := readBearerToken(s.token(t, "ada", "", "owner"))
		other := storetest.Open(t, url)
		far := auth.NewAdmin(auth.AdminOptions{Store: other, Recorder: new(heard), Now: s.clock})
		t.Cleanup(far.Close)
		for _, a := range []*auth.Admin{s.Admin, far} {
			_, err := a.Authenticate(s.ctx, h)
			require.NoError(t, err)
		}
		_, changed, err := other.PATs().Revoke(s.ctx, "p-ada", func(*store.PAT) error { return nil })
		require.NoError(t, err)
		require.True(t, changed)
		for _, a := range []*auth.Admin{s.Admin, far} {
			_, err := a.Authenticate(s.ctx, h)
			requireUnauthorized(t, err)
		}
	})
}

func TestTheLastUseIsWrittenOnceAMinute(t *testing.T) {
	s := newScene(t, nil)
	h := readBearerToken(s.token(t, "ada", "", "owner"))
	used := func() time.Time {
		s.Close() // waits for what is being written
		p, err := s.db.PATs().Get(s.ctx, "p-ada")
		require.NoError(t, err)
		return p.UsedAt
	}
	assert.True(t, used().IsZero())
	first := s.clock()
	for range 30 {
		_, err := s.Authenticate(s.ctx, h)
		require.NoError(t, err)
		s.step(time.Second)
		assert.Equal(t, first, used())
	}
	s.step(30 * time.Second)
	_, err := s.Authenticate(s.ctx, h)
	require.NoError(t, err)
	assert.Equal(t, s.clock(), used())
	v, err := s.db.Config().ReadVersion(s.ctx)
	require.NoError(t, err)
	assert.Equal(t, int64(4), v, "a use does not change the configuration")
}

func TestACredentialThatWorksIsToldOnceAnHour(t *testing.T) {
	s := newScene(t, nil)
	h := readBearerToken(s.token(t, "ada", "", "owner"))
	for range 7 { // 0, 10, … 60 minutes
		_, err := s.Authenticate(s.ctx, h)
		require.NoError(t, err)
		s.step(10 * time.Minute)
	}
	assert.Equal(t, []string{"pat:p-ada from 192.0.2.1", "pat:p-ada from 192.0.2.1"}, s.heard.success)
}

func TestNobodyGetsInUnrecorded(t *testing.T) {
	s := newScene(t, nil)
	h := readBearerToken(s.token(t, "ada", "", "owner"))
	s.heard.err = errors.New("full")
	_, err := s.Authenticate(s.ctx, h)
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 503, e.HTTPStatus())
	s.heard.err = nil
	_, err = s.Authenticate(s.ctx, h)
	require.NoError(t, err)
	assert.Len(t, s.heard.success, 1)
}

func TestGuessingIsSlowAndLocksNobodyOut(t *testing.T) {
	s := newScene(t, nil)
	known, fresh := s.token(t, "known", "", "owner"), s.token(t, "fresh", "", "owner")
	_, err := s.Authenticate(s.ctx, readBearerToken(known))
	require.NoError(t, err)
	for range 20 {
		_, err := s.Authenticate(s.ctx, readBearerToken(auth.NewPAT()))
		requireUnauthorized(t, err)
	}
	var e *core.Error
	for range 50 {
		_, err = s.Authenticate(s.ctx, readBearerToken(auth.NewPAT()))
		require.ErrorAs(t, err, &e)
		assert.Equal(t, 429, e.HTTPStatus())
		assert.Equal(t, 3*time.Second, e.RetryAfter.Round(time.Second))
	}
	assert.Len(t, s.heard.failures, 20, "the audit chain is not flooded")
	_, err = s.Authenticate(s.ctx, readBearerToken(fresh))
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 429, e.HTTPStatus())
	_, err = s.Authenticate(s.ctx, readBearerToken(known))
	require.NoError(t, err, "a credential that has worked goes on to")
	_, err = s.Authenticate(auth.WithAddress(s.ctx, "192.0.2.2:1"), readBearerToken(fresh))
	require.NoError(t, err, "others are not held up")
	s.step(3 * time.Second)
	_, err = s.Authenticate(s.ctx, readBearerToken(fresh))
	require.NoError(t, err)
	_, err = s.Authenticate(s.ctx, readBearerToken("x"))
	requireUnauthorized(t, err)
	assert.Equal(t, 51, s.heard.failures[20].Unreported)
}

func TestWhoShowsNothingIsTurnedAwayWithoutAnEnd(t *testing.T) {
	s := newScene(t, func(o *auth.AdminOptions) { o.JWT = idp{} })
	for range 50 {
		_, err := s.Authenticate(s.ctx, http.Header{})
		requireUnauthorized(t, err)
		_, err = s.Authenticate(s.ctx, readBearerToken("no.role.x"))
		var e *core.Error
		require.ErrorAs(t, err, &e)
		assert.Equal(t, 403, e.HTTPStatus())
	}
	_, err := s.Authenticate(s.ctx, readBearerToken(s.token(t, "ada", "", "owner")))
	require.NoError(t, err)
	assert.Len(t, s.heard.failures, 20)
}

func TestAKnownCredentialThatIsRevokedIsThrottledAsAnyOther(t *testing.T) {
	s := newScene(t, nil)
	h := readBearerToken(s.token(t, "ada", "", "owner"))
	_, err := s.Authenticate(s.ctx, h)
	require.NoError(t, err)
	_, _, err = s.db.PATs().Revoke(s.ctx, "p-ada", func(*store.PAT) error { return nil })
	require.NoError(t, err)
	for range 20 {
		_, err = s.Authenticate(s.ctx, h)
		requireUnauthorized(t, err)
	}
	_, err = s.Authenticate(s.ctx, h)
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 429, e.HTTPStatus())
}

func TestWithoutRolesAnyCredentialWillDo(t *testing.T) {
	viewer := &auth.Actor{ID: "jwt:v", Via: auth.ViaJWT, Tenant: "t1", Subject: "iss v"}
	s := newScene(t, func(o *auth.AdminOptions) { o.Unchecked, o.JWT = true, idp{"a.b.c": viewer} })
	for _, token := range []string{s.token(t, "v", "t1", "viewer"), "a.b.c"} {
		who, err := s.Authenticate(s.ctx, readBearerToken(token))
		require.NoError(t, err)
		assert.True(t, who.Can(auth.TenantsDelete))
		_, ok := who.FindReach("t2")
		assert.False(t, ok, "tenants stay apart")
	}
	assert.False(t, viewer.Unchecked, "what the verifier gave is not changed")
	_, err := s.Authenticate(s.ctx, readBearerToken(auth.NewPAT()))
	requireUnauthorized(t, err)
}

func TestAStoreThatFailsIsNobodysWrongToken(t *testing.T) {
	s := newScene(t, nil)
	token := s.token(t, "ada", "", "owner")
	ctx, cancel := context.WithCancel(s.ctx)
	cancel()
	_, err := s.Authenticate(ctx, readBearerToken(token))
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, 503, e.HTTPStatus())
	assert.Empty(t, s.heard.failures)
}

func BenchmarkAuthenticateByToken(b *testing.B) {
	db, err := store.Open(b.Context(), "sqlite:"+filepath.Join(b.TempDir(), "x.db"))
	require.NoError(b, err)
	defer func() { require.NoError(b, db.Close(context.Background())) }()
	a := auth.NewAdmin(auth.AdminOptions{Store: db, Recorder: new(heard)})
	defer a.Close()
	_, err = db.Users().Insert(b.Context(), store.User{ID: "u", Email: "u@example.com", Roles: []string{"owner"}, Status: store.UserActive})
	require.NoError(b, err)
	var h http.Header
	for i := range 100 {
		plain := auth.NewPAT()
		_, err := db.PATs().Insert(
			b.Context(),
			store.PAT{ID: fmt.Sprint(i), UserID: "u", Hash: auth.Hash(plain), Roles: []string{"owner"}, Source: store.SourceAPI},
		)
		require.NoError(b, err)
		h = readBearerToken(plain)
	}
	for b.Loop() {
		if _, err := a.Authenticate(b.Context(), h); err != nil {
			b.Fatal(err)
		}
	}
}

func TestRolesThatTheProviderChangesAreToldAtOnce(t *testing.T) {
	claims := func(role auth.Role) *auth.Actor {
		return &auth.Actor{ID: "jwt:ada", Roles: []auth.Role{role}, Tenant: "t1", Via: auth.ViaJWT, Subject: "iss ada"}
	}
	s := newScene(t, func(o *auth.AdminOptions) {
		o.JWT = idp{"as.a.viewer": claims(auth.RoleViewer), "as.an.admin": claims(auth.RoleAdmin)}
	})
	_, err := s.db.Users().Insert(
		s.ctx,
		store.User{ID: "u", Email: "a@example.com", Subject: "iss ada", Roles: []string{"viewer"}, TenantID: "t1", Status: store.UserActive},
	)
	require.NoError(t, err)
	for _, token := range []string{"as.a.viewer", "as.a.viewer", "as.an.admin", "as.an.admin"} {
		_, err := s.Authenticate(s.ctx, readBearerToken(token))
		require.NoError(t, err)
	}
	assert.Len(t, s.heard.success, 2, "the stored roles of a user have changed, which an audit event tells of")
}

func TestAnOlderTokenOfTheProviderPutsNoRolesBack(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		var s *scene
		claims := func(role auth.Role, minute int) *auth.Actor {
			a := &auth.Actor{ID: "jwt:ada", Roles: []auth.Role{role}, Tenant: "t1", Via: auth.ViaJWT, Subject: "iss ada"}
			if minute >= 0 {
				a.IssuedAt = time.Date(2026, 3, 4, 5, minute, 0, 0, time.UTC)
			}
			return a
		}
		s = newSceneOn(t, url, func(o *auth.AdminOptions) {
			o.JWT = idp{
				"admin.at.1": claims(auth.RoleAdmin, 1), "viewer.at.2": claims(auth.RoleViewer, 2), "viewer.at.4": claims(auth.RoleViewer, 4),
				"admin.at.3": claims(auth.RoleAdmin, 3), "admin.at.4": claims(auth.RoleAdmin, 4), "admin.some.time": claims(auth.RoleAdmin, -1),
				"developer.at.5": claims(auth.RoleDeveloper, 5),
			}
		})
		_, err := s.db.Users().Insert(
			s.ctx,
			store.User{ID: "u", Email: "a@example.com", Subject: "iss ada", Roles: []string{"viewer"}, TenantID: "t1", Status: store.UserActive},
		)
		require.NoError(t, err)
		for _, step := range []struct {
			token          string
			inForce, keeps auth.Role
		}{
			{"admin.some.time", auth.RoleAdmin, auth.RoleAdmin}, // as long as no token has said when it was issued
			{"admin.at.1", auth.RoleAdmin, auth.RoleAdmin},
			{"viewer.at.2", auth.RoleViewer, auth.RoleViewer},
			{"admin.at.1", auth.RoleViewer, auth.RoleViewer},
			{"viewer.at.4", auth.RoleViewer, auth.RoleViewer}, // says nothing new, but is the newest
			{"admin.at.3", auth.RoleViewer, auth.RoleViewer},
			{"admin.at.4", auth.RoleAdmin, auth.RoleViewer}, // of the same second
			{"admin.some.time", auth.RoleAdmin, auth.RoleViewer},
			{"developer.at.5", auth.RoleDeveloper, auth.RoleDeveloper},
		} {
			who, err := s.Authenticate(s.ctx, readBearerToken(step.token))
			require.NoError(t, err)
			assert.Equal(t, []auth.Role{step.inForce}, who.Roles, step.token)
			u, err := s.db.Users().Get(s.ctx, "u")
			require.NoError(t, err)
			assert.Equal(t, []string{string(step.keeps)}, u.Roles, step.token)
		}
	})
}
