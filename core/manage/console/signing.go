package console

import (
	"net/http"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// signing mounts signing in and out, and the making of the first owner.
func (c *Console) signing() {
	c.engine.GET("/login", c.door(c.showLogin))
	c.engine.POST("/login", c.door(c.login))
	c.engine.GET("/setup", c.door(c.showSetup))
	c.engine.POST("/setup", c.door(c.setup))
	c.post("/logout", "", func(r *request) error {
		err := c.Auth.SignOut(r.ctx(), r.session.ID)
		return r.leave(err, "You are signed out.")
	})
	c.post("/logout/everywhere", "", func(r *request) error {
		err := c.Auth.SignOutElsewhere(r.ctx(), r.who.UserID, "")
		return r.leave(err, "You are signed out everywhere.")
	})
	c.engine.POST("/theme", c.door(c.setTheme))
}

// door is a handler of a page for everybody.
func (c *Console) door(h func(*request) error) gin.HandlerFunc {
	return func(g *gin.Context) {
		g.Request.Body = http.MaxBytesReader(g.Writer, g.Request.Body, maxForm)
		r := &request{Context: g, c: c}
		if err := h(r); err != nil {
			r.fail(err)
		}
	}
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

func (c *Console) showLogin(r *request) error {
	if s, err := c.session(r.Context); err == nil && s != nil {
		r.Redirect(http.StatusSeeOther, inside(r.Query("next")))
		return nil
	}
	if open, err := c.unowned(r); err != nil {
		return err
	} else if open {
		r.Redirect(http.StatusSeeOther, "/setup")
		return nil
	}
	return r.show("login", "Sign in", login{newForm(), inside(r.Query("next")), c.Passwords, c.provider()})
}

func (c *Console) login(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	next := inside(f.Values.Get("next"))
	if !c.Passwords {
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "People sign in at the identity provider here, not with passwords."}
	}
	s, err := c.Auth.SignIn(r.ctx(), f.text("email"), f.Values.Get("password"))
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
func (c *Console) unowned(r *request) (bool, error) {
	if !c.Passwords {
		return false, nil
	}
	n, err := c.Service.Store.UsersWithPassword(r.ctx())
	return n == 0, err
}

// setup is what the making of the first owner shows.
type setup struct {
	Form *Form
	Code bool // a code is asked for
}

func (c *Console) showSetup(r *request) error {
	open, err := c.unowned(r)
	if err != nil {
		return err
	}
	if !open {
		r.Redirect(http.StatusSeeOther, "/login")
		return nil
	}
	return r.show("setup", "Set up the owner", setup{newForm(), c.SetupCode != ""})
}

func (c *Console) setup(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	if open, err := c.unowned(r); err != nil {
		return err
	} else if !open {
		return r.done("/login", "The first owner is there already. Sign in, or ask them for an account.")
	}
	again := func(err error) error {
		return r.again("setup", "Set up the owner", setup{f, c.SetupCode != ""}, f, err)
	}
	if wait := c.Auth.Guess(r.Request.RemoteAddr, c.SetupCode, f.text("code")); wait != 0 {
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
	u, err := c.Service.CreateFirstOwner(r.ctx(), f.text("email"), f.text("name"), f.Values.Get("password"))
	if err != nil {
		return again(err)
	}
	s, err := c.Auth.Begin(r.ctx(), u)
	if err != nil {
		return err
	}
	r.admit(s)
	return r.done("/", "Welcome. You are the owner of this gateway.")
}

const themeLife = 365 * 24 * time.Hour

func (c *Console) setTheme(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	switch v := f.text("theme"); v {
	case "light", "dark":
		c.cookie(r.Context, themeCookie, v, themeLife)
	default:
		c.cookie(r.Context, themeCookie, "", -1)
	}
	r.Redirect(http.StatusSeeOther, inside(f.Values.Get("next")))
	return nil
}
