package console

import (
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// signInHandlers sign people in and out, and create the first owner.
type signInHandlers struct {
	auth      *auth.Admin
	service   *admin.Service
	passwords bool
	setupCode string
	provider  string // the path that starts a sign-in at the identity provider; "" without one
}

func (h *signInHandlers) mount(c *Console) {
	c.engine.GET("/login", c.allowAnyone(h.showLogin))
	c.engine.POST("/login", c.allowAnyone(h.signIn))
	c.engine.GET("/setup", c.allowAnyone(h.showSetup))
	c.engine.POST("/setup", c.allowAnyone(h.setup))
	c.mountPost("/logout", "", func(r *request) error {
		err := h.auth.SignOut(r.ctx(), r.session.ID)
		return r.endSession(err, "You were signed out.")
	})
	c.mountPost("/logout/everywhere", "", func(r *request) error {
		err := h.auth.SignOutElsewhere(r.ctx(), r.who.UserID, "")
		return r.endSession(err, "You were signed out everywhere.")
	})
	c.engine.POST("/theme", c.allowAnyone(h.setTheme))
}

// endSession deletes the session cookie, unless ending the session failed.
func (r *request) endSession(err error, told string) error {
	if err != nil {
		return err
	}
	r.c.setCookie(r.Context, r.c.nameSessionCookie(r.Request), "", -1)
	return r.redirectWithNotice("/login", told)
}

// login is the data of the sign-in page.
type login struct {
	Form      *Form
	Next      string
	Passwords bool
	Provider  string // the path that starts a sign-in at the identity provider; "" without one
}

func (h *signInHandlers) showLogin(r *request) error {
	if s, err := r.c.readSession(r.Context); err == nil && s != nil {
		r.Redirect(http.StatusSeeOther, chooseLocalPath(r.Query("next")))
		return nil
	}
	if open, err := h.needsOwner(r); err != nil {
		return err
	} else if open {
		r.Redirect(http.StatusSeeOther, "/setup")
		return nil
	}
	return r.show("login", "Sign in", login{newForm(), chooseLocalPath(r.Query("next")), h.passwords, h.provider})
}

func (h *signInHandlers) signIn(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	next := chooseLocalPath(f.Values.Get("next"))
	if !h.passwords {
		return newPasswordsOffError()
	}
	s, err := h.auth.SignIn(r.ctx(), f.readText("email"), f.Values.Get("password"))
	if err != nil {
		return r.showRefused("login", "Sign in", login{f, next, true, ""}, f, err)
	}
	r.startSession(s)
	r.Redirect(http.StatusSeeOther, next)
	return nil
}

// startSession gives the browser a new session. It ends any session that the browser had before, which prevents session
// fixation.
func (r *request) startSession(s *auth.Session) {
	if k, err := r.Request.Cookie(r.c.nameSessionCookie(r.Request)); err == nil && k.Value != s.ID {
		if err := r.c.Auth.SignOut(r.ctx(), k.Value); err != nil {
			r.c.ReportError(r.Request.Context(), r.c.readTraceID(r.Context), err) // the session expires on its own
		}
	}
	r.c.setCookie(r.Context, r.c.nameSessionCookie(r.Request), s.ID, auth.SessionLife)
}

// needsOwner reports whether there is no account yet, so that the first owner must be created.
func (h *signInHandlers) needsOwner(r *request) (bool, error) {
	if !h.passwords {
		return false, nil
	}
	n, err := h.service.Store.Users().CountWithPassword(r.ctx())
	return n == 0, err
}

// setup is the data of the setup page.
type setup struct {
	Form *Form
	Code bool // a code is required
}

func (h *signInHandlers) showSetup(r *request) error {
	open, err := h.needsOwner(r)
	if err != nil {
		return err
	}
	if !open {
		r.Redirect(http.StatusSeeOther, "/login")
		return nil
	}
	return r.show("setup", "Set up the owner", setup{newForm(), h.setupCode != ""})
}

func (h *signInHandlers) setup(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	if open, err := h.needsOwner(r); err != nil {
		return err
	} else if !open {
		return r.redirectWithNotice("/login", "The owner already exists. Sign in, or ask the owner for an account.")
	}
	again := func(err error) error {
		return r.showRefused("setup", "Set up the owner", setup{f, h.setupCode != ""}, f, err)
	}
	if wait := h.auth.CheckCode(r.c.Proxies.FindClientAddress(r.Request), h.setupCode, f.readText("code")); wait != 0 {
		f.addError("code", "This is not the code that the gateway printed at startup.")
		if wait > time.Second {
			f.Error = "Too many attempts. Wait a minute, then try again."
		}
		return again(f.reportErrors())
	}
	if f.Values.Get("password") != f.Values.Get("again") {
		f.addError("again", "The two passwords differ.")
		return again(f.reportErrors())
	}
	u, err := h.service.Users().CreateFirstOwner(r.ctx(), f.readText("email"), f.readText("name"), f.Values.Get("password"))
	if err != nil {
		return again(err)
	}
	s, err := h.auth.StartSession(r.ctx(), u)
	if err != nil {
		return err
	}
	r.startSession(s)
	return r.redirectWithNotice("/", "Welcome. You are the owner of this gateway.")
}

const themeLife = 365 * 24 * time.Hour

func (h *signInHandlers) setTheme(r *request) error {
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	switch v := f.readText("theme"); v {
	case "light", "dark":
		r.c.setCookie(r.Context, themeCookie, v, themeLife)
	default:
		r.c.setCookie(r.Context, themeCookie, "", -1)
	}
	r.Redirect(http.StatusSeeOther, chooseLocalPath(f.Values.Get("next")))
	return nil
}

// newPasswordsOffError refuses a password if people sign in at an identity provider.
func newPasswordsOffError() error {
	return &core.Error{
		Kind: core.NotFound, Code: core.CodeNotFound,
		Public: "People sign in at the identity provider here, without passwords.",
	}
}
