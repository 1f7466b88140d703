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
	provider  string // where people begin to sign in at the identity provider; "" without one
}

// signing mounts signing in and out, and the making of the first owner.
func (h *signInHandlers) mount(c *Console) {
	c.engine.GET("/login", c.door(h.showLogin))
	c.engine.POST("/login", c.door(h.login))
	c.engine.GET("/setup", c.door(h.showSetup))
	c.engine.POST("/setup", c.door(h.setup))
	c.post("/logout", "", func(r *request) error {
		err := h.auth.SignOut(r.ctx(), r.session.ID)
		return r.leave(err, "You are signed out.")
	})
	c.post("/logout/everywhere", "", func(r *request) error {
		err := h.auth.SignOutElsewhere(r.ctx(), r.who.UserID, "")
		return r.leave(err, "You are signed out everywhere.")
	})
	c.engine.POST("/theme", c.door(h.setTheme))
}

// leave ends a session at the browser.
func (r *request) leave(err error, told string) error {
	if err != nil {
		return err
	}
	r.c.cookie(r.Context, r.c.cookieName(r.Request), "", -1)
	return r.done("/login", told)
}

// login is what the sign-in shows.
type login struct {
	Form      *Form
	Next      string
	Passwords bool
	Provider  string // where people begin to sign in at the identity provider; "": there is none
}

func (h *signInHandlers) showLogin(r *request) error {
	if s, err := r.c.session(r.Context); err == nil && s != nil {
		r.Redirect(http.StatusSeeOther, inside(r.Query("next")))
		return nil
	}
	if open, err := h.unowned(r); err != nil {
		return err
	} else if open {
		r.Redirect(http.StatusSeeOther, "/setup")
		return nil
	}
	return r.show("login", "Sign in", login{newForm(), inside(r.Query("next")), h.passwords, h.provider})
}

func (h *signInHandlers) login(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	next := inside(f.Values.Get("next"))
	if !h.passwords {
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "People sign in at the identity provider here, not with passwords."}
	}
	s, err := h.auth.SignIn(r.ctx(), f.text("email"), f.Values.Get("password"))
	if err != nil {
		return r.again("login", "Sign in", login{f, next, true, ""}, f, err)
	}
	r.admit(s)
	r.Redirect(http.StatusSeeOther, next)
	return nil
}

// admit gives the browser a session. It is always a new one: what a browser held before somebody signed in is worth
// nothing, and if it was a session that ends.
func (r *request) admit(s *auth.Session) {
	if k, err := r.Request.Cookie(r.c.cookieName(r.Request)); err == nil && k.Value != s.ID {
		if err := r.c.Auth.SignOut(r.ctx(), k.Value); err != nil {
			r.c.Failed(r.Request.Context(), r.c.trace(r.Context), err) // it ends later
		}
	}
	r.c.cookie(r.Context, r.c.cookieName(r.Request), s.ID, auth.SessionLife)
}

// unowned reports whether nobody can sign in yet, so that the first owner is to be made.
func (h *signInHandlers) unowned(r *request) (bool, error) {
	if !h.passwords {
		return false, nil
	}
	n, err := h.service.Store.Users().CountWithPassword(r.ctx())
	return n == 0, err
}

// setup is what the making of the first owner shows.
type setup struct {
	Form *Form
	Code bool // a code is asked for
}

func (h *signInHandlers) showSetup(r *request) error {
	open, err := h.unowned(r)
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
	f, err := r.form()
	if err != nil {
		return err
	}
	if open, err := h.unowned(r); err != nil {
		return err
	} else if !open {
		return r.done("/login", "The first owner is there already. Sign in, or ask them for an account.")
	}
	again := func(err error) error {
		return r.again("setup", "Set up the owner", setup{f, h.setupCode != ""}, f, err)
	}
	if wait := h.auth.Guess(r.Request.RemoteAddr, h.setupCode, f.text("code")); wait != 0 {
		f.wrong("code", "This is not the code that the gateway printed when it started.")
		if wait > time.Second {
			f.Error = "Too many codes were tried. Wait a minute, then try again."
		}
		return again(f.ok())
	}
	if f.Values.Get("password") != f.Values.Get("again") {
		f.wrong("again", "The two passwords differ.")
		return again(f.ok())
	}
	u, err := h.service.Users().CreateFirstOwner(r.ctx(), f.text("email"), f.text("name"), f.Values.Get("password"))
	if err != nil {
		return again(err)
	}
	s, err := h.auth.Begin(r.ctx(), u)
	if err != nil {
		return err
	}
	r.admit(s)
	return r.done("/", "Welcome. You are the owner of this gateway.")
}

const themeLife = 365 * 24 * time.Hour

func (h *signInHandlers) setTheme(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	switch v := f.text("theme"); v {
	case "light", "dark":
		r.c.cookie(r.Context, themeCookie, v, themeLife)
	default:
		r.c.cookie(r.Context, themeCookie, "", -1)
	}
	r.Redirect(http.StatusSeeOther, inside(f.Values.Get("next")))
	return nil
}
