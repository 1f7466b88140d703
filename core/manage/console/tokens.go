package console

import (
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// tokenHandlers serve personal access tokens. Users see and revoke only their own.
type tokenHandlers struct{}

func (h *tokenHandlers) mount(c *Console) {
	show := func(r *request) error { return h.show(r, nil) }
	c.mountGet("/tokens", "", show)
	c.mountPost("/tokens", "", handleFormOnce(h.create, show))
	c.mountPost("/tokens/:token/revoke", "", h.revoke)
}

// listTokenColumns returns the columns of the list.
func listTokenColumns() []column[admin.PAT] {
	return []column[admin.PAT]{
		{"Name", "", func(_ *request, t admin.PAT) part { return newTextPart(t.Name) }},
		{"Prefix", "", func(_ *request, t admin.PAT) part { return newCodePart(t.Prefix + "…") }},
		{"Created", "", func(_ *request, t admin.PAT) part { return newTimePart(t.CreatedAt) }},
		{"Last used", "", func(r *request, t admin.PAT) part { return r.drawAge(t.LastUsedAt) }},
		{"Expires", "", func(_ *request, t admin.PAT) part { return newExpiryPart(t.ExpiresAt) }},
		{"Status", "", func(_ *request, t admin.PAT) part { return newStatePart(t.Status) }},
		newActionsColumn("Actions", func(_ *request, t admin.PAT) part {
			if t.Status == "Revoked" {
				return newTextPart("")
			}
			return newConfirmPart(confirmation{
				Opens: "Revoke…", Class: "small", Says: "Requests with this token are rejected from now on. This cannot be undone.",
				Action: "/tokens/" + t.ID + "/revoke", Button: "Revoke " + t.Name, Danger: true,
			})
		}),
	}
}

// show answers with the list, and with the plaintext of a token that was just created.
func (h *tokenHandlers) show(r *request, created *admin.PAT) error {
	tokens, err := r.service().PATs().List(r.ctx(), r.who, false, r.readWindow())
	rows, err := readPage(r, tokens, err)
	if err != nil {
		return err
	}
	p := &listPage{Parts: []part{{"token-intro", nil}}}
	if created != nil {
		p.Parts = append(p.Parts, newSecretPart("The token "+created.Name, created.Token))
	}
	p.Table = newTable(r, listTokenColumns(), rows, nil, "You have no access tokens yet. Create one below for each program that administers "+
		"for you.")
	p.After = []part{r.newFormPart(formView{
		ID: "new", Heading: "New token", Action: "/tokens", Anchor: "main", Button: "Create token",
		Once: true,
	}, newForm(),
		newInput("name", "Name", "required", "placeholder=deploy"), newExpiryField())}
	return r.show("list", "Access tokens", p)
}

// newExpiryField returns the last day of a key or a token.
func newExpiryField(settings ...string) field {
	return newInput("expires_at", "Last day", append(settings, "type=date", "hint=In UTC. If empty, it does not expire.")...)
}

func (h *tokenHandlers) create(r *request, f *Form) error {
	n, err := checkChange(f, admin.NewPAT{Name: f.readText("name"), ExpiresAt: f.readEndOfDay("expires_at")})
	if err != nil {
		return err
	}
	created, err := r.service().PATs().Create(r.ctx(), r.who, n)
	if err != nil {
		return err
	}
	return h.show(r, &created)
}

func (h *tokenHandlers) revoke(r *request) error {
	err := r.service().PATs().Revoke(r.ctx(), r.who, r.Param("token"), "")
	return r.finish(err, "/tokens", "Token revoked. Requests with it are rejected.")
}
