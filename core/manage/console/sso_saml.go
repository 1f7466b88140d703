package console

import (
	"net/http"

	"github.com/headgate-dev/headgate/core/auth/saml"
)

// samlDone is where the browser brings back what it was given for the answer of the identity provider.
const samlDone = "/saml/done"

// maxAnswer is the largest answer of an identity provider, in bytes.
const maxAnswer = 512 << 10

func (c *Console) describeSAML(r *request) error {
	b, err := c.SAML.Describe(c.base(r.Request))
	if err != nil {
		return err
	}
	r.Data(http.StatusOK, "application/samlmetadata+xml", b)
	return nil
}

func (c *Console) beginSAML(r *request) error {
	to, begun, err := c.SAML.Begin(r.ctx(), c.base(r.Request))
	if err == nil {
		err = r.keep(begunCookie, underWay[saml.Begun]{begun, inside(r.Query("next"))})
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
func (c *Console) receiveSAML(r *request) error {
	r.Request.Body = http.MaxBytesReader(r.Writer, r.Request.Body, maxAnswer)
	f, err := r.form()
	if err != nil {
		return err
	}
	a, err := c.SAML.Receive(r.ctx(), c.base(r.Request), f.Values.Get("SAMLResponse"))
	if err != nil {
		return r.notLetIn(c.Auth.Refuse(r.ctx(), err))
	}
	if err := r.keep(answerCookie, a); err != nil {
		return err
	}
	r.Redirect(http.StatusSeeOther, samlDone)
	return nil
}

func (c *Console) finishSAML(r *request) error {
	var u underWay[saml.Begun]
	var a saml.Answer
	begun, answered := r.kept(begunCookie, &u), r.kept(answerCookie, &a)
	if !begun || !answered || a.Actor == nil || a.Request != u.Begun.ID || !u.Begun.Fresh(c.Now()) || !c.Now().Before(a.Until) {
		return r.notLetIn(c.Auth.Refuse(r.ctx(), strayed()))
	}
	if err := c.Auth.Spend(r.ctx(), "saml "+a.Assertion, a.Until); err != nil {
		return r.notLetIn(c.Auth.Refuse(r.ctx(), err))
	}
	return r.enter(a.Actor, u.Next)
}
