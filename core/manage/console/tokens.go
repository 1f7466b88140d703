package console

import (
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// tokenHandlers serve personal access tokens.
type tokenHandlers struct{}

// tokens mounts personal access tokens. Everybody has their own alone.
func (h *tokenHandlers) mount(c *Console) {
	c.get("/tokens", "", func(r *request) error { return h.tokensPage(r, tokenList{Form: newForm()}, nil) })
	c.post("/tokens", "", h.createToken)
	c.post("/tokens/:token/revoke", "", h.revokeToken)
}

// tokenList is what the page shows.
type tokenList struct {
	Tokens list[admin.PAT]
	Form   *Form
	Made   *admin.PAT // whose plaintext is shown, once
}

func (h *tokenHandlers) tokensPage(r *request, data tokenList, refused error) error {
	tokens, err := r.service().PATs().List(r.ctx(), r.who, false, r.page())
	if data.Tokens, err = collect(r, tokens, err); err != nil {
		return err
	}
	if refused != nil {
		return r.again("tokens", "Access tokens", data, data.Form, refused)
	}
	return r.show("tokens", "Access tokens", data)
}

func (h *tokenHandlers) createToken(r *request) error {
	f, err := r.form()
	if err == nil {
		err = r.once(f)
	}
	if err != nil {
		return err
	}
	n := admin.NewPAT{Name: f.text("name"), ExpiresAt: f.endOfDay("expires_at")}
	if err = f.ok(); err == nil {
		err = admin.Bounded(n)
	}
	var made admin.PAT
	if err == nil {
		made, err = r.service().PATs().Create(r.ctx(), r.who, n)
	}
	if err != nil {
		return h.tokensPage(r, tokenList{Form: f}, err)
	}
	return h.tokensPage(r, tokenList{Form: newForm(), Made: &made}, nil)
}

func (h *tokenHandlers) revokeToken(r *request) error {
	if err := r.service().PATs().Revoke(r.ctx(), r.who, r.Param("token"), ""); err != nil {
		return err
	}
	return r.done("/tokens", "The token is revoked. It authenticates no more.")
}
