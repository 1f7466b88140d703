package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/auth/saml"
)

// samlDonePath completes a sign-in with the cookies that were set before and after the visit to the identity provider.
const samlDonePath = "/saml/done"

// maxAnswer limits an answer of an identity provider, in bytes.
const maxAnswer = 512 << 10

func (h *ssoHandlers) describeSAML(r *request) error {
	b, err := h.saml.Describe(h.findBase(r.Request))
	if err != nil {
		return err
	}
	r.Data(http.StatusOK, "application/samlmetadata+xml", b)
	return nil
}

func (h *ssoHandlers) beginSAML(r *request) error {
	to, begun, err := h.saml.BeginSignIn(r.ctx(), h.findBase(r.Request))
	if err == nil {
		err = r.sealCookie(begunCookie, signInState[saml.Pending]{begun, chooseLocalPath(r.Query("next"))})
	}
	if err != nil {
		return err
	}
	r.Redirect(http.StatusSeeOther, to)
	return nil
}

// receiveSAML receives the answer that the browser posts from the site of the identity provider. The browser sends no
// cookies with a cross-site post, so the verified answer is stored in a separate cookie, and samlDonePath compares it
// with the cookie of the sign-in that was started here. RelayState is ignored: the page to show next is in that cookie.
func (h *ssoHandlers) receiveSAML(r *request) error {
	r.Request.Body = http.MaxBytesReader(r.Writer, r.Request.Body, maxAnswer)
	f, err := r.parseForm()
	if err != nil {
		return err
	}
	a, err := h.saml.ParseAnswer(r.ctx(), h.findBase(r.Request), f.Values.Get("SAMLResponse"))
	if err != nil {
		return h.refuseSignIn(r, h.auth.Refuse(r.ctx(), err))
	}
	if err := r.sealCookie(answerCookie, a); err != nil {
		return err
	}
	r.Redirect(http.StatusSeeOther, samlDonePath)
	return nil
}

func (h *ssoHandlers) finishSAML(r *request) error {
	var u signInState[saml.Pending]
	var a saml.Answer
	begun, answered := r.openCookie(begunCookie, &u), r.openCookie(answerCookie, &a)
	if !begun || !answered || a.Actor == nil || a.Request != u.Begun.ID || !u.Begun.IsFresh(h.now()) || !h.now().Before(a.Until) {
		return h.refuseSignIn(r, h.auth.Refuse(r.ctx(), newStraySignInError()))
	}
	if err := h.auth.MarkUsed(r.ctx(), "saml "+a.Assertion, a.Until); err != nil {
		return h.refuseSignIn(r, h.auth.Refuse(r.ctx(), err))
	}
	return h.startSession(r, a.Actor, u.Next)
}
