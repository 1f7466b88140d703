package console

import (
	"cmp"
	"context"
	"errors"
	"net/http"
	"net/url"
	"regexp"
	"strings"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// request is a request with its user. session and who are nil on pages that need no session.
type request struct {
	*gin.Context
	c       *Console
	session *auth.Session
	who     *auth.Actor
	sent    *Form // a refused form to show again
	status  int   // of the answer; 0 means 200
	cached  *names
	typed   int             // fields for typed names on the page: two can ask for the same thing
	owns    map[string]bool // by workspace: whether developers manage their own keys there
}

// ctx returns the context of the request, with the address of the client.
func (r *request) ctx() context.Context {
	return auth.WithAddress(r.Request.Context(), r.c.Proxies.FindClientAddress(r.Request))
}

// service returns the administrative operations.
func (r *request) service() *admin.Service { return r.c.Service }

// parseForm reads a form.
func (r *request) parseForm() (*Form, error) {
	if err := r.Request.ParseForm(); err != nil {
		var large *http.MaxBytesError
		if errors.As(err, &large) {
			return nil, &core.Error{Kind: core.TooLarge, Code: core.CodeTooLarge, Public: "The form is too large."}
		}
		return nil, &core.Error{
			Kind: core.InvalidRequest, Code: core.CodeInvalidValue,
			Public: "The form cannot be parsed. Reload the page and send it again.", Err: err,
		}
	}
	return &Form{Values: r.Request.PostForm}, nil
}

// show answers with a page, or with a live part of it if the script requests one.
func (r *request) show(name, title string, data any) error {
	return r.render(cmp.Or(r.status, http.StatusOK), name, title, data)
}

// chooseForm returns the refused form if it was sent to a path, or else the initial one.
func (r *request) chooseForm(path string, initial *Form) *Form {
	if r.sent != nil && r.Request.URL.Path == path {
		return r.sent
	}
	return initial
}

// refuse shows the page of a form again, with the sent values and the errors beside their fields. An internal error is
// returned instead, for the error page.
func (r *request) refuse(f *Form, err error, page func(*request) error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.HTTPStatus() >= http.StatusInternalServerError {
		return err
	}
	f.addRefusal(e)
	r.sent, r.status = f, e.HTTPStatus()
	return page(r)
}

// showRefused answers with a page whose form was refused. An internal error is returned instead, for the error page.
func (r *request) showRefused(name, title string, data any, f *Form, err error) error {
	var e *core.Error
	if !errors.As(err, &e) || e.HTTPStatus() >= http.StatusInternalServerError {
		return err
	}
	f.addRefusal(e)
	return r.render(e.HTTPStatus(), name, title, data)
}

// redirectWithNotice redirects to a page, which shows the notice once.
func (r *request) redirectWithNotice(path, told string) error {
	r.c.setCookie(r.Context, noticeCookie, url.QueryEscape(told), noticeLife)
	r.Redirect(http.StatusSeeOther, path)
	return nil
}

// finish returns the error of an operation, or redirects with a notice after success.
func (r *request) finish(err error, path, told string) error {
	if err != nil {
		return err
	}
	return r.redirectWithNotice(path, told)
}

// fail answers with the error page.
func (r *request) fail(err error) {
	e := core.ConvertError(err)
	if e.HTTPStatus() >= http.StatusInternalServerError && r.Request.Context().Err() == nil {
		r.c.ReportError(r.Request.Context(), r.c.readTraceID(r.Context), err)
	}
	if r.Writer.Written() {
		return // a truncated file
	}
	if r.GetHeader(fragmentHeader) != "" {
		r.Status(e.HTTPStatus())
		return
	}
	if err := r.render(e.HTTPStatus(), "error", chooseErrorHeading(e), failure{e, r.c.readTraceID(r.Context)}); err != nil {
		r.c.ReportError(r.Request.Context(), r.c.readTraceID(r.Context), err)
		r.String(http.StatusInternalServerError, "The page cannot be displayed.")
	}
}

// failure is the data of the error page.
type failure struct {
	Error *core.Error
	Trace string
}

// Sentence returns the error as a sentence.
func (f failure) Sentence() string { return capitalizeSentence(f.Error.Public) }

// tenantWord matches the API's word for a workspace, apart from names of fields such as tenant_id or tenants[0].
var tenantWord = regexp.MustCompile(`\btenant(s?)([ ,;:.)]|$)`)

// replaceWords writes a text of the operations in the words of the console.
func replaceWords(text string) string { return tenantWord.ReplaceAllString(text, "workspace$1$2") }

// capitalizeSentence writes a text in the words of the console and adds a capital and a full stop. A file or field name at
// the start keeps its spelling.
func capitalizeSentence(text string) string {
	if text == "" {
		return ""
	}
	text = replaceWords(text)
	if first, _, _ := strings.Cut(text, " "); !strings.ContainsAny(first, "./:_[") {
		text = strings.ToUpper(text[:1]) + text[1:]
	}
	if !strings.HasSuffix(text, ".") {
		text += "."
	}
	return text
}

func chooseErrorHeading(e *core.Error) string {
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

// showErrorPage answers with the error page on pages that need no session.
func (c *Console) showErrorPage(g *gin.Context, e *core.Error) {
	r := &request{Context: g, c: c}
	if e.Kind == core.NotFound {
		if s, err := c.readSession(g); err == nil && s != nil {
			r.session, r.who = s, s.Actor
		}
	}
	r.fail(e)
}
