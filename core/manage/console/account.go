package console

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// accountHandlers serve the page of whoever is signed in.
type accountHandlers struct {
	auth      *auth.Admin
	passwords bool
}

// account mounts what everybody has for themselves.
func (h *accountHandlers) mount(c *Console) {
	c.get("/account", "", func(r *request) error { return h.accountPage(r, newForm(), nil) })
	c.post("/account/password", "", h.changePassword)
	c.post("/account/sign-out-elsewhere", "", func(r *request) error {
		if err := h.auth.SignOutElsewhere(r.ctx(), r.who.UserID, r.session.ID); err != nil {
			return err
		}
		return r.done("/account", "You are signed out everywhere else.")
	})
}

// account is what the page shows.
type account struct {
	Form      *Form
	Passwords bool
	Session   *auth.Session
	Workspace string
}

func (h *accountHandlers) accountPage(r *request, f *Form, refused error) error {
	data := account{f, h.passwords, r.session, r.names().Of(r.who.Tenant)}
	if refused != nil {
		return r.again("account", "Your account", data, f, refused)
	}
	return r.show("account", "Your account", data)
}

// changePassword gives somebody another password. All their sessions end, and this browser has a new one.
func (h *accountHandlers) changePassword(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	if !h.passwords {
		return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "People sign in at the identity provider here, not with passwords."}
	}
	next := f.Values.Get("password")
	if err := auth.CheckNewPassword(next); err != nil {
		f.wrong("password", sentence(err.Error()))
	}
	if next != f.Values.Get("again") {
		f.wrong("again", "The two passwords differ.")
	}
	if err := f.ok(); err != nil {
		return h.accountPage(r, f, err)
	}
	if err := h.auth.CheckOwnPassword(r.ctx(), r.who, f.Values.Get("current")); err != nil {
		if e := core.AsError(err); e.Kind == core.Unauthenticated {
			f.wrong("current", "This is not your password.")
			err = f.ok()
		}
		return h.accountPage(r, f, err)
	}
	if err := r.service().Users().SetOwnPassword(r.ctx(), r.who, next); err != nil {
		return h.accountPage(r, f, err)
	}
	u, err := r.service().Store.Users().Get(r.ctx(), r.who.UserID)
	if err != nil {
		return err
	}
	s, err := h.auth.Begin(r.ctx(), &u)
	if err != nil {
		return err
	}
	r.admit(s)
	return r.done("/account", "Your password is changed, and you are signed out everywhere else.")
}
