package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/auth/sso"
)

func (c *Console) beginOIDC(r *request) error {
	to, begun, err := c.OIDC.Begin(r.ctx(), c.base(r.Request).JoinPath(oidcStart, "callback").String())
	if err == nil {
		err = r.keep(begunCookie, underWay[sso.Begun]{begun, inside(r.Query("next"))})
	}
	if err != nil {
		return err
	}
	r.Redirect(http.StatusSeeOther, to)
	return nil
}

func (c *Console) finishOIDC(r *request) error {
	var u underWay[sso.Begun]
	if !r.kept(begunCookie, &u) {
		return r.notLetIn(c.Auth.Refuse(r.ctx(), strayed()))
	}
	who, err := c.OIDC.Finish(r.ctx(), u.Begun, r.Request.URL.Query())
	if err == nil {
		err = c.Auth.Spend(r.ctx(), "oidc "+u.Begun.State, u.Begun.At.Add(sso.BeginLife))
	}
	if err != nil {
		return r.notLetIn(c.Auth.Refuse(r.ctx(), err))
	}
	return r.enter(who, u.Next)
}
