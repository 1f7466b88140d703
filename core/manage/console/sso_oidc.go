package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/auth/sso"
)

func (h *ssoHandlers) beginOIDC(r *request) error {
	to, begun, err := h.oidc.Begin(r.ctx(), h.base(r.Request).JoinPath(oidcStart, "callback").String())
	if err == nil {
		err = r.keep(begunCookie, underWay[sso.Pending]{begun, inside(r.Query("next"))})
	}
	if err != nil {
		return err
	}
	r.Redirect(http.StatusSeeOther, to)
	return nil
}

func (h *ssoHandlers) finishOIDC(r *request) error {
	var u underWay[sso.Pending]
	if !r.kept(begunCookie, &u) {
		return h.notLetIn(r, h.auth.Refuse(r.ctx(), strayed()))
	}
	who, err := h.oidc.Finish(r.ctx(), u.Begun, r.Request.URL.Query())
	if err == nil {
		err = h.auth.Spend(r.ctx(), "oidc "+u.Begun.State, u.Begun.At.Add(sso.BeginLife))
	}
	if err != nil {
		return h.notLetIn(r, h.auth.Refuse(r.ctx(), err))
	}
	return h.enter(r, who, u.Next)
}
