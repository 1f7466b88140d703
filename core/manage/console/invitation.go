package console

import (
	"net/url"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// invitationHandlers create invitations, and accept those of people who have no account yet.
type invitationHandlers struct {
	auth      *auth.Admin
	service   *admin.Service
	passwords bool
}

func (h *invitationHandlers) mount(c *Console) {
	c.engine.GET("/invitation", c.allowAnyone(h.showInvitation))
	c.engine.POST("/invitation", c.allowAnyone(h.accept))
	if !h.passwords {
		return
	}
	c.mountPost("/users/:user/invite", auth.UsersWrite, handleFormOnce(func(r *request, _ *Form) error {
		i, err := r.service().Users().Invite(r.ctx(), r.who, r.Param("user"), admin.NewInvitation{})
		return h.showCreated(r, i, link{Path: buildUserPath(r.Param("user")), Text: "The user"}, err)
	}, nil))
	c.mountPost("/workspaces/:tenant/members/:user/invite", auth.MembersWrite, handleFormOnce(func(r *request, _ *Form) error {
		i, err := r.service().Members().Invite(r.ctx(), r.who, r.Param("tenant"), r.Param("user"), admin.NewInvitation{})
		return h.showCreated(r, i, link{Path: buildMembersPath(r.Param("tenant")), Text: "The members"}, err)
	}, nil))
}

// showCreated answers with the link of a new invitation, which is shown once.
func (h *invitationHandlers) showCreated(r *request, i admin.Invitation, back link, err error) error {
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{back}}
	p.add(part{"paragraph", "Send this link to the person. Whoever opens it chooses the password of the account, once."},
		newSecretPart("Invitation", r.buildOwnAddress(i.Path)), part{"facts", []fact{{"Valid until", newTimePart(i.ExpiresAt)}}})
	return r.show("record", "Invitation", p)
}

// buildOwnAddress returns the address of a page of the console as other machines open it.
func (r *request) buildOwnAddress(path string) string {
	if r.c.URL != nil {
		return r.c.URL.Scheme + "://" + r.c.URL.Host + path
	}
	u := url.URL{Scheme: "http", Host: r.Request.Host}
	if r.c.isHTTPS(r.Request) {
		u.Scheme = "https"
	}
	return u.String() + path
}

// invitation is the data of the page that accepts an invitation.
type invitation struct{ Form *Form }

func (h *invitationHandlers) showInvitation(r *request) error {
	if !h.passwords {
		return newPasswordsOffError()
	}
	return r.show("invitation", "Accept invitation", invitation{newForm()})
}

// accept sets the first password, and signs the user in.
func (h *invitationHandlers) accept(r *request) error {
	if !h.passwords {
		return newPasswordsOffError()
	}
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	password := f.Values.Get("password")
	if err := auth.CheckNewPassword(password); err != nil {
		f.addError("password", capitalizeSentence(err.Error()))
	}
	if password != f.Values.Get("again") {
		f.addError("again", "The two passwords differ.")
	}
	if err := f.reportErrors(); err != nil {
		return r.showRefused("invitation", "Accept invitation", invitation{f}, f, err)
	}
	u, err := h.service.Users().AcceptInvitation(r.ctx(), f.readText("code"), password)
	if err != nil {
		return r.showRefused("invitation", "Accept invitation", invitation{f}, f, err)
	}
	s, err := h.auth.StartSession(r.ctx(), u)
	if err != nil {
		return err
	}
	r.startSession(s)
	return r.redirectWithNotice("/", "Welcome. Your account is ready.")
}
