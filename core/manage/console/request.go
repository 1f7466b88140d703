package console

import (
	"context"
	"errors"
	"net/http"
	"net/url"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// request is one request of somebody who is signed in.
type request struct {
	*gin.Context
	c       *Console
	session *auth.Session
	who     *auth.Actor
}

// ctx is the context of the request.
func (r *request) ctx() context.Context {
	return auth.WithAddress(r.Request.Context(), r.Request.RemoteAddr)
}

// service are the operations.
func (r *request) service() *admin.Service { return r.c.Service }

// form reads what a form has sent.
func (r *request) form() (*Form, error) {
	if err := r.Request.ParseForm(); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, &core.Error{Kind: core.TooLarge, Code: core.CodeTooLarge, Public: "The form is too large."}
		}
		return nil, &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The form cannot be read. Open the page again and send it once more.", Err: err}
	}
	return &Form{Values: r.Request.PostForm}, nil
}

// show answers with a page, or with a part of it when the script asks for one.
func (r *request) show(name, title string, data any) error {
	return r.render(http.StatusOK, name, title, data)
}

// again answers with a page whose form could not be taken: what was sent stands in it, and beside it what is wrong. A
// fault of the gateway's own gets the page of errors.
func (r *request) again(name, title string, data any, f *Form, err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.HTTPStatus() >= http.StatusInternalServerError {
		return err
	}
	f.refuse(e)
	return r.render(e.HTTPStatus(), name, title, data)
}

// done leads to another page, which tells what has been done.
func (r *request) done(path, told string) error {
	r.c.cookie(r.Context, flashCookie, url.QueryEscape(told), flashLife)
	r.Redirect(http.StatusSeeOther, path)
	return nil
}

// fail answers with a page that says what is wrong.
func (r *request) fail(err error) {
	e := core.AsError(err)
	if e.HTTPStatus() >= http.StatusInternalServerError && r.Request.Context().Err() == nil {
		r.c.Failed(r.Request.Context(), r.c.trace(r.Context), err)
	}
	if r.Writer.Written() {
		return // a file that is cut off
	}
	if r.GetHeader(fragmentHeader) != "" {
		r.Status(e.HTTPStatus())
		return
	}
	if err := r.render(e.HTTPStatus(), "error", heading(e), failure{e, r.c.trace(r.Context)}); err != nil {
		r.c.Failed(r.Request.Context(), r.c.trace(r.Context), err)
		r.String(http.StatusInternalServerError, "The page cannot be shown.")
	}
}

// failure is what a page of an error shows.
type failure struct {
	Error *core.Error
	Trace string
}

// Sentence is what is wrong, as a sentence.
func (f failure) Sentence() string { return sentence(f.Error.Public) }

// sentence begins with a capital, unless that is the name of a file or a field, and ends with a full stop.
func sentence(text string) string {
	if text == "" {
		return ""
	}
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsAny(first, "./:_[") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

func heading(e *core.Error) string {
	switch e.HTTPStatus() {
	case http.StatusNotFound:
		return "Not found"
	case http.StatusForbidden:
		return "Not allowed"
	case http.StatusInternalServerError:
		return "Something went wrong"
	case http.StatusServiceUnavailable:
		return "Not available now"
	}
	return "Not possible"
}

// outside answers with an error to somebody who may not be signed in.
func (c *Console) outside(g *gin.Context, e *core.Error) {
	r := &request{Context: g, c: c}
	if e.Kind == core.NotFound {
		if s, err := c.session(g); err == nil && s != nil {
			r.session, r.who = s, s.Actor
		}
	}
	r.fail(e)
}
