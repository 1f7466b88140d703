package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/auth/saml"
)

// samlDone is where the browser brings back what it was given for the answer of the identity provider.
const samlDone = "/saml/done"

// maxAnswer is the largest answer of an identity provider, in bytes.
const maxAnswer = 512 << 10

func (h *ssoHandlers) describeSAML(r *request) error {
	b, err := h.saml.Describe(h.base(r.Request))
	if err != nil {
		return err
	}
	r.Data(http.StatusOK, "application/samlmetadata+xml", b)
	return nil
}

func (h *ssoHandlers) beginSAML(r *request) error {
	to, begun, err := h.saml.Begin(r.ctx(), h.base(r.Request))
	if err == nil {
		err = r.keep(begunCookie, underWay[saml.Pending]{begun, inside(r.Query("next"))})
	}
	if err != nil {
		return err
	}
	r.Redirect(http.StatusSeeOther, to)
	return nil
}

// receiveSAML takes what the identity provider has the browser post. It comes from another site, so that the browser
// sends no cookie with it: what it is worth is kept in one, and looked at where the browser is led to next, together with
// the one of the sign-in that was begun here. Where that leads is in the latter: what comes as RelayState is not looked at.
func (h *ssoHandlers) receiveSAML(r *request) error {
	r.Request.Body = http.MaxBytesReader(r.Writer, r.Request.Body, maxAnswer)
	f, err := r.form()
	if err != nil {
		return err
	}
	a, err := h.saml.Receive(r.ctx(), h.base(r.Request), f.Values.Get("SAMLResponse"))
	if err != nil {
		return h.notLetIn(r, h.auth.Refuse(r.ctx(), err))
	}
	if err := r.keep(answerCookie, a); err != nil {
		return err
	}
	r.Redirect(http.StatusSeeOther, samlDone)
	return nil
}

func (h *ssoHandlers) finishSAML(r *request) error {
	var u underWay[saml.Pending]
	var a saml.Answer
	begun, answered := r.kept(begunCookie, &u), r.kept(answerCookie, &a)
	if !begun || !answered || a.Actor == nil || a.Request != u.Begun.ID || !u.Begun.Fresh(h.now()) || !h.now().Before(a.Until) {
		return h.notLetIn(r, h.auth.Refuse(r.ctx(), strayed()))
	}
	if err := h.auth.Spend(r.ctx(), "saml "+a.Assertion, a.Until); err != nil {
		return h.notLetIn(r, h.auth.Refuse(r.ctx(), err))
	}
	return h.enter(r, a.Actor, u.Next)
}
