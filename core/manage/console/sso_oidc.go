package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/auth/sso"
)

func (h *ssoHandlers) beginOIDC(r *request) error {
	to, begun, err := h.oidc.BeginSignIn(r.ctx(), h.findBase(r.Request).JoinPath(oidcStartPath, "callback").String())
	if err == nil {
		err = r.sealCookie(begunCookie, signInState[sso.Pending]{begun, chooseLocalPath(r.Query("next"))})
	}
	if err != nil {
		return err
	}
	r.Redirect(http.StatusSeeOther, to)
	return nil
}

func (h *ssoHandlers) finishOIDC(r *request) error {
	var u signInState[sso.Pending]
	if !r.openCookie(begunCookie, &u) {
		return h.refuseSignIn(r, h.auth.Refuse(r.ctx(), newStraySignInError()))
	}
	who, err := h.oidc.FinishSignIn(r.ctx(), u.Begun, r.Request.URL.Query())
	if err == nil {
		err = h.auth.MarkUsed(r.ctx(), "oidc "+u.Begun.State, u.Begun.At.Add(sso.BeginLife))
	}
	if err != nil {
		return h.refuseSignIn(r, h.auth.Refuse(r.ctx(), err))
	}
	return h.startSession(r, who, u.Next)
}
