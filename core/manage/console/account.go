package console

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
)

// accountHandlers serve the account page of the signed-in user.
type accountHandlers struct {
	auth      *auth.Admin
	passwords bool
}

func (h *accountHandlers) mount(c *Console) {
	c.mountGet("/account", "", h.show)
	c.mountPost("/account/password", "", handleForm(h.changePassword, h.show))
	c.mountPost("/account/sign-out-elsewhere", "", func(r *request) error {
		err := h.auth.SignOutElsewhere(r.ctx(), r.who.UserID, r.session.ID)
		return r.finish(err, "/account", "You were signed out everywhere else.")
	})
}

// accountPage is what the page shows.
type accountPage struct {
	Form      *Form
	Passwords bool
	Session   *auth.Session
	Workspace string
}

func (h *accountHandlers) show(r *request) error {
	f := r.chooseForm("/account/password", newForm())
	return r.show("account", "Your account", accountPage{f, h.passwords, r.session, r.openWorkspaceNames().NameOf(r.who.Tenant)})
}

// changePassword sets a new password. It ends all sessions of the user and starts a new one for this browser.
func (h *accountHandlers) changePassword(r *request, f *Form) error {
	if !h.passwords {
		return newPasswordsOffError()
	}
	next := f.Values.Get("password")
	if err := auth.CheckNewPassword(next); err != nil {
		f.addError("password", capitalizeSentence(err.Error()))
	}
	if next != f.Values.Get("again") {
		f.addError("again", "The two passwords differ.")
	}
	if r.session.MustChange && next != "" && next == f.Values.Get("current") {
		f.addError("password", "Choose another password than the one that you were given.")
	}
	if err := f.reportErrors(); err != nil {
		return err
	}
	if err := h.auth.CheckOwnPassword(r.ctx(), r.who, f.Values.Get("current")); err != nil {
		if e := core.ConvertError(err); e.Kind == core.Unauthenticated {
			f.addError("current", "This is not your password.")
			return f.reportErrors()
		}
		return err
	}
	if err := r.service().Users().SetOwnPassword(r.ctx(), r.who, next); err != nil {
		return err
	}
	u, err := r.service().Store.Users().Get(r.ctx(), r.who.UserID)
	if err != nil {
		return err
	}
	s, err := h.auth.StartSession(r.ctx(), &u)
	if err != nil {
		return err
	}
	r.startSession(s)
	if r.session.MustChange {
		return r.redirectWithNotice("/", "Password changed. Welcome.")
	}
	return r.redirectWithNotice("/account", "Password changed. You were signed out everywhere else.")
}
