package console

import (
	"net/http"
	"net/url"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestSigningInGivesASessionThatNoScriptReads(t *testing.T) {
	s := serveSite(t, nil)
	s.user("ada", auth.RoleOwner)
	b, a := s.logIn(" ADA@example.com ", testPassword)
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	assert.Equal(t, "/", a.to)
	require.Len(t, a.cookies, 1)
	k := a.cookies[0]
	assert.Equal(t, "headgate_session", k.Name)
	assert.True(t, k.HttpOnly)
	assert.Equal(t, http.SameSiteLaxMode, k.SameSite)
	assert.Equal(t, "/", k.Path)
	assert.Empty(t, k.Domain)
	assert.False(t, k.Secure, "this console speaks HTTP on this machine alone")
	assert.Equal(t, http.StatusOK, b.get("/").status)
}

func TestBehindHTTPSTheSessionIsOfThisHostAlone(t *testing.T) {
	at, err := url.Parse("https://headgate.example.com")
	require.NoError(t, err)
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.URL = at })
	s.user("ada", auth.RoleOwner)
	_, a := s.logIn("ada@example.com", testPassword, "Host", "headgate.example.com")
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	require.Len(t, a.cookies, 1)
	assert.Equal(t, "__Host-headgate_session", a.cookies[0].Name)
	assert.True(t, a.cookies[0].Secure)
	assert.NotEmpty(t, a.header.Get("Strict-Transport-Security"))
}

func TestASessionThatSomebodyElseHasChosenIsNotTakenOver(t *testing.T) {
	s := serveSite(t, nil)
	ada := s.user("ada", auth.RoleOwner)
	eve := s.signedIn(s.user("eve", auth.RoleBillingAdmin))
	given := eve.session()
	for _, planted := range []string{strings.Repeat("a", 43), given} {
		b, a := s.logIn(ada.Email, testPassword, "Cookie", "headgate_session="+planted)
		require.Equal(t, http.StatusSeeOther, a.status)
		assert.NotEqual(t, planted, b.session())
		assert.Len(t, b.session(), 43)
	}
	assert.Equal(t, http.StatusSeeOther, eve.get("/account").status, "the planted session is no longer valid")
}

func TestWhoIsThereIsNotToldByTheSignIn(t *testing.T) {
	s := serveSite(t, nil)
	s.user("ada", auth.RoleOwner)
	gone := s.user("gone", auth.RoleOwner)
	_, err := s.db.Users().Change(t.Context(), gone.ID, func(u *store.User) error { u.Status = store.UserDisabled; return nil })
	require.NoError(t, err)
	none := s.user("none", auth.RoleOwner)
	_, err = s.db.Users().Change(t.Context(), none.ID, func(u *store.User) error { u.Password = ""; return nil })
	require.NoError(t, err)
	var first string
	for name, in := range map[string][2]string{
		"a wrong password": {"ada@example.com", "another password"}, "nobody": {"nobody@example.com", testPassword},
		"disabled": {"gone@example.com", testPassword}, "without a password": {"none@example.com", ""},
		"no password": {"ada@example.com", ""}, "a very long one": {"ada@example.com", strings.Repeat("x", 100_000)},
	} {
		_, a := s.logIn(in[0], in[1])
		assert.Equal(t, http.StatusUnauthorized, a.status, name)
		assert.Empty(t, a.cookies, name)
		text := strings.ReplaceAll(a.body, in[0], "")
		if first == "" {
			first = text
		}
		assert.Equal(t, first, text, name)
	}
}

func TestGuessingIsSlowHoweverManyGuessAtOnce(t *testing.T) {
	s := serveSite(t, nil)
	s.user("ada", auth.RoleOwner)
	var mu sync.Mutex
	status := map[int]int{}
	var all sync.WaitGroup
	for range 40 {
		all.Go(func() {
			_, a := s.logIn("ada@example.com", "a wrong password")
			mu.Lock()
			defer mu.Unlock()
			status[a.status]++
		})
	}
	all.Wait()
	assert.Equal(t, map[int]int{http.StatusUnauthorized: 20, http.StatusTooManyRequests: 20}, status)
	_, a := s.logIn("ada@example.com", testPassword)
	assert.Equal(t, http.StatusTooManyRequests, a.status)
	assert.Contains(t, a.body, "Too many attempts")
	s.ahead.Add(int64(time.Minute))
	_, a = s.logIn("ada@example.com", testPassword)
	assert.Equal(t, http.StatusSeeOther, a.status)
}

func TestThoseWhoKnowTheirPasswordAreNotSlowedDown(t *testing.T) {
	s := serveSite(t, nil)
	s.user("ada", auth.RoleOwner)
	for i := range 25 {
		_, a := s.logIn("ada@example.com", testPassword)
		require.Equal(t, http.StatusSeeOther, a.status, "attempt %d", i)
	}
}

func TestASessionEndsIdleAndInTheEndAnyway(t *testing.T) {
	s := serveSite(t, nil)
	ada := s.user("ada", auth.RoleOwner)
	b := s.signedIn(ada)
	for range 13 { // a session used every 11 hours outlives the idle time
		s.ahead.Add(int64(11 * time.Hour))
		require.Equal(t, http.StatusOK, b.get("/account").status)
	}
	for range 3 {
		s.ahead.Add(int64(11 * time.Hour))
		_ = b.get("/account")
	}
	assert.Equal(t, http.StatusSeeOther, b.get("/account").status, "a week is over")
	b = s.signedIn(ada)
	s.ahead.Add(int64(auth.SessionIdle))
	assert.Equal(t, http.StatusSeeOther, b.get("/account").status, "the session was not used")
}

func TestWhatIsChangedOfAUserHoldsAtOnce(t *testing.T) {
	s := serveSite(t, nil)
	s.user("root", auth.RoleOwner)
	ada := s.user("ada", auth.RoleOwner)
	b := s.signedIn(ada)
	change := func(f func(*store.User)) {
		t.Helper()
		_, err := s.db.Users().Change(t.Context(), ada.ID, func(u *store.User) error { f(u); return nil })
		require.NoError(t, err)
	}
	require.Equal(t, http.StatusOK, b.get("/users").status)
	change(func(u *store.User) { u.Roles = []string{"billing-admin"} })
	assert.Equal(t, http.StatusForbidden, b.get("/users").status)
	change(func(u *store.User) { u.Status = store.UserDisabled })
	assert.Equal(t, http.StatusSeeOther, b.get("/account").status)
	change(func(u *store.User) { u.Status = store.UserActive })
	require.Equal(t, http.StatusOK, b.get("/account").status)
	require.NoError(t, s.db.Users().Delete(t.Context(), ada.ID, func(*store.User) error { return nil }))
	assert.Equal(t, http.StatusSeeOther, b.get("/account").status)
}

func TestAnotherWayOfSigningInEndsTheSessionsOfTheLast(t *testing.T) {
	s := serveSite(t, nil)
	ada := s.user("ada", auth.RoleOwner)
	b := s.signedIn(ada)
	other := auth.NewAdmin(auth.AdminOptions{Store: s.db, Recorder: s.c.Auth.Recorder, Entry: "oidc https://login.example.com"})
	t.Cleanup(other.Close)
	got, err := other.OpenSession(t.Context(), b.session())
	require.NoError(t, err)
	assert.Nil(t, got)
	assert.Equal(t, http.StatusOK, b.get("/account").status)
}

func TestSigningOutEndsTheSessionItself(t *testing.T) {
	s := serveSite(t, nil)
	ada := s.user("ada", auth.RoleOwner)
	here, there := s.signedIn(ada), s.signedIn(ada)
	id := here.session()
	a := here.post("/logout", nil)
	assert.Equal(t, "/login", a.to)
	assert.Empty(t, here.session())
	assert.Equal(t, http.StatusSeeOther, s.browser().get("/account", "Cookie", "headgate_session="+id).status)
	assert.Equal(t, http.StatusOK, there.get("/account").status)
	third := s.signedIn(ada)
	require.Equal(t, http.StatusSeeOther, there.post("/logout/everywhere", nil).status)
	assert.Equal(t, http.StatusSeeOther, third.get("/account").status)
}

func TestAChangedPasswordEndsAllOtherSessions(t *testing.T) {
	s := serveSite(t, nil)
	ada := s.user("ada", auth.RoleOwner)
	here, there := s.signedIn(ada), s.signedIn(ada)
	before := here.session()
	const next = "another correct horse"
	for name, x := range map[string]struct{ current, password, again, says string }{
		"a wrong one":             {"not the password", next, next, "This is not your password."},
		"a short one":             {testPassword, "short", "short", "at least 12 characters"},
		"two different passwords": {testPassword, next, next + "x", "The two passwords differ."},
	} {
		a := here.post("/account/password", url.Values{"current": {x.current}, "password": {x.password}, "again": {x.again}})
		assert.Equal(t, http.StatusBadRequest, a.status, name)
		assert.Contains(t, a.body, x.says, name)
		assert.NotContains(t, a.body, x.password, name)
	}
	a := here.post("/account/password", url.Values{"current": {testPassword}, "password": {next}, "again": {next}})
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	assert.NotEqual(t, before, here.session())
	assert.Equal(t, http.StatusOK, here.get("/account").status)
	assert.Equal(t, http.StatusSeeOther, there.get("/account").status)
	assert.Equal(t, http.StatusSeeOther, s.browser().get("/account", "Cookie", "headgate_session="+before).status)
	_, a = s.logIn(ada.Email, testPassword)
	assert.Equal(t, http.StatusUnauthorized, a.status)
	_, a = s.logIn(ada.Email, next)
	assert.Equal(t, http.StatusSeeOther, a.status)
}

func TestTheFirstOwnerIsMadeOnceAndWithTheCode(t *testing.T) {
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.SetupCode = "the-code" })
	b := s.browser()
	assert.Equal(t, "/setup", b.get("/login").to)
	assert.Contains(t, b.get("/setup").body, "Setup code")
	form := url.Values{"name": {"Ada"}, "email": {"ada@example.com"}, "password": {testPassword}, "again": {testPassword}}
	for _, code := range []string{"", "x", "the-code-x"} {
		form.Set("code", code)
		a := b.post("/setup", form)
		assert.Equal(t, http.StatusBadRequest, a.status)
		assert.Contains(t, a.body, "not the code")
	}
	for range 20 {
		_ = b.post("/setup", form)
	}
	assert.Contains(t, b.post("/setup", form).body, "Too many attempts")
	form.Set("code", "the-code")
	assert.Contains(t, b.post("/setup", form).body, "Too many attempts", "guessing is slow")
	s.ahead.Add(int64(time.Minute))
	a := b.post("/setup", form)
	require.Equal(t, http.StatusSeeOther, a.status, a.body)
	assert.Equal(t, http.StatusOK, b.get("/users").status)
	other := s.browser()
	assert.Equal(t, "/login", other.get("/setup").to)
	form.Set("email", "eve@example.com")
	assert.Equal(t, "/login", other.post("/setup", form).to)
	_, err := s.db.Users().GetByEmail(t.Context(), "eve@example.com")
	require.ErrorIs(t, err, store.ErrNotFound)
}
