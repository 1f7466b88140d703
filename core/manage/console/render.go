package console

import (
	"bytes"
	"embed"
	"errors"
	"fmt"
	"html/template"
	"net/http"
	"net/url"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/license"
)

//go:embed templates
var templateFiles embed.FS

// fragmentHeader names the live part of a page that the script requests.
const fragmentHeader = "X-Fragment"

// page is the data of every template.
type page struct {
	Title    string
	Path     string // of the request, for the menu
	Theme    string // light, dark, or "" for the setting of the system
	Actor    *auth.Actor
	Menu     []section
	Told     string // the outcome of the last form
	Warn     string // a warning for every user who is signed in
	Version  string
	Once     string // the nonce of forms that count once
	Data     any
	statics  map[string]*static
	location *url.URL
}

// Static returns the address of a file that pages load.
func (p *page) Static(name string) (string, error) {
	s, ok := p.statics[name]
	if !ok {
		return "", fmt.Errorf("no %s", name)
	}
	return s.path, nil
}

// CopyWith returns the page with other data, for the template of a part.
func (p *page) CopyWith(data any) *page {
	q := *p
	q.Data = data
	return &q
}

// Can reports whether the reader has a permission. Pages offer only what the reader may do.
func (p *page) Can(permission string) bool {
	return p.Actor != nil && p.Actor.Can(auth.Permission(permission))
}

// Is reports whether the reader has a role.
func (p *page) Is(role string) bool { return p.Actor != nil && p.Actor.Is(auth.Role(role)) }

// PageAddress returns the address of the page with some of its query parameters changed: name, value. An empty value removes one.
func (p *page) PageAddress(pairs ...string) string {
	u := *p.location
	q := u.Query()
	for i := 0; i+1 < len(pairs); i += 2 {
		if pairs[i+1] == "" {
			q.Del(pairs[i])
		} else {
			q.Set(pairs[i], pairs[i+1])
		}
	}
	u.RawQuery = q.Encode()
	return u.RequestURI()
}

// parseTemplates returns the templates of a page. They are parsed at first use, so that an unused console takes no memory.
func (c *Console) parseTemplates(name string) (*template.Template, error) {
	if t, ok := c.sets.Load(name); ok {
		return t.(*template.Template), nil
	}
	t := template.New("layout.html")
	t, err := t.Funcs(c.buildTemplateFuncs()).Funcs(template.FuncMap{"part": func(name string, p *page) (template.HTML, error) {
		var b strings.Builder
		err := t.ExecuteTemplate(&b, "part-"+name, p)
		return template.HTML(b.String()), err // the template escaped it
	}}).ParseFS(templateFiles,
		"templates/layout.html", "templates/parts*.html", "templates/"+name+".html")
	if err != nil {
		return nil, err
	}
	kept, _ := c.sets.LoadOrStore(name, t)
	return kept.(*template.Template), nil
}

// sharedLive holds the live parts that are defined outside the template of their page, and so are in the set of every page.
// The functions report whether a page's data is theirs.
var sharedLive = map[string]func(data any) bool{
	"live-deliveries": func(data any) bool { _, ok := data.(*webhookPage); return ok },
}

// render answers with a page. It is rendered completely before the first byte is sent, so that an error has its own page.
func (r *request) render(status int, name, title string, data any) error {
	set, err := r.c.parseTemplates(name)
	if err != nil {
		return err
	}
	p := &page{
		Title: title, Path: r.Request.URL.Path, Theme: r.readTheme(), Actor: r.who, Version: r.c.Version, Data: data, statics: r.c.statics,
		location: r.Request.URL, Once: newNonce(),
	}
	what := "layout.html"
	if part := r.GetHeader(fragmentHeader); part != "" {
		of, shared := sharedLive[part]
		if what = part; !strings.HasPrefix(part, "live-") || set.Lookup(part) == nil || shared && !of(data) {
			r.Status(http.StatusNotFound)
			return nil
		}
	} else {
		if r.who != nil {
			p.Menu, p.Warn = r.c.buildMenu(r.who, p.Path), r.c.describeLicenseWarning()
		}
		p.Told = r.readNotice()
	}
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, what, p); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	r.Data(status, "text/html; charset=utf-8", b.Bytes())
	return nil
}

const (
	noticeCookie = "headgate_told"
	noticeLife   = time.Minute
	maxNotice    = 500
)

// readNotice returns the outcome of the last form, and deletes it, so that it is shown once.
func (r *request) readNotice() string {
	k, err := r.Request.Cookie(noticeCookie)
	if err != nil {
		return ""
	}
	r.c.setCookie(r.Context, noticeCookie, "", -1)
	text, err := url.QueryUnescape(k.Value)
	if err != nil || len(text) > maxNotice {
		return ""
	}
	return text
}

const themeCookie = "headgate_theme"

func (r *request) readTheme() string {
	if k, err := r.Request.Cookie(themeCookie); err == nil && (k.Value == "light" || k.Value == "dark") {
		return k.Value
	}
	return ""
}

// describeLicenseWarning returns a warning if the licence has expired.
func (c *Console) describeLicenseWarning() string {
	if c.Service.LicenseKeeper == nil {
		return ""
	}
	if state, l := c.Service.LicenseKeeper.State(); l != nil && state == license.Degraded {
		return "The licence of this installation has expired. Traffic is served as before; features that need a licence are off until an " +
			"owner sets a new one."
	}
	return ""
}

// pageSize is the number of rows on a page of a list.
const pageSize = 50

// list is one page of a list.
type list[T any] struct {
	Rows  []T
	After string // the cursor of the next page; "" on the last one
	First bool
}

// readWindow returns the window of a list that a request asks for. It is one row longer than the page, to see whether a
// next page exists.
func (r *request) readWindow() admin.Page {
	return admin.Page{Limit: pageSize + 1, After: r.Query("after")}
}

// readPage reads one page of a list.
func readPage[T any](r *request, l admin.List[T], err error) (list[T], error) {
	out := list[T]{First: r.Query("after") == ""}
	if err != nil {
		return out, err
	}
	for v, err := range l.All {
		if err != nil {
			return out, err
		}
		if len(out.Rows) == pageSize {
			out.After = l.Cursor(out.Rows[pageSize-1])
			break
		}
		out.Rows = append(out.Rows, v)
	}
	return out, nil
}

// readAll reads a whole list. It fails if the list is longer than a bound.
func readAll[T any](l admin.List[T], err error, bound int) ([]T, error) {
	var out []T
	if err != nil {
		return nil, err
	}
	for v, err := range l.All {
		if err != nil {
			return nil, err
		}
		if len(out) == bound {
			return nil, errors.New("the list is longer than a page may show")
		}
		out = append(out, v)
	}
	return out, nil
}
