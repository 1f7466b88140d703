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

// fragmentHeader names the part of a page that the script asks for.
const fragmentHeader = "X-Fragment"

// page is what every template is given.
type page struct {
	Title    string
	Path     string // of the request, for the menu
	Theme    string // light, dark, or "" as the system says
	Actor    *auth.Actor
	Menu     []section
	Told     string // what was done last
	Warn     string // what everybody who is signed in must know
	Version  string
	Once     string // tells one showing of a form from another
	Data     any
	statics  map[string]*static
	location *url.URL
}

// Static is the address of a file that pages load.
func (p *page) Static(name string) (string, error) {
	s, ok := p.statics[name]
	if !ok {
		return "", fmt.Errorf("there is no %s", name)
	}
	return s.path, nil
}

// Can reports whether the reader may do what p names: what they may not is not offered.
func (p *page) Can(permission string) bool {
	return p.Actor != nil && p.Actor.Can(auth.Permission(permission))
}

// Is reports whether the reader has a role.
func (p *page) Is(role string) bool { return p.Actor != nil && p.Actor.Is(auth.Role(role)) }

// Here is the address of the page with some of its query changed: name, value; an empty value takes it away.
func (p *page) Here(pairs ...string) string {
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

// set are the templates of a page, parsed when it is first shown: they take memory that a console nobody opens need not
// hold.
func (c *Console) set(name string) (*template.Template, error) {
	if t, ok := c.sets.Load(name); ok {
		return t.(*template.Template), nil
	}
	t, err := template.New("layout.html").Funcs(c.funcs()).ParseFS(templateFiles,
		"templates/layout.html", "templates/parts*.html", "templates/"+name+".html")
	if err != nil {
		return nil, err
	}
	kept, _ := c.sets.LoadOrStore(name, t)
	return kept.(*template.Template), nil
}

// render answers with a page. It is made whole before anything of it is sent.
func (r *request) render(status int, name, title string, data any) error {
	set, err := r.c.set(name)
	if err != nil {
		return err
	}
	p := &page{
		Title: title, Path: r.Request.URL.Path, Theme: r.theme(), Actor: r.who, Version: r.c.Version, Data: data, statics: r.c.statics,
		location: r.Request.URL, Once: nonce(),
	}
	what := "layout.html"
	if part := r.GetHeader(fragmentHeader); part != "" {
		if what = part; !strings.HasPrefix(part, "live-") || set.Lookup(part) == nil {
			r.Status(http.StatusNotFound)
			return nil
		}
	} else {
		if r.who != nil {
			p.Menu, p.Warn = r.c.menuFor(r.who, p.Path), r.c.warning()
		}
		p.Told = r.told()
	}
	var b bytes.Buffer
	if err := set.ExecuteTemplate(&b, what, p); err != nil {
		return fmt.Errorf("page %s: %w", name, err)
	}
	r.Data(status, "text/html; charset=utf-8", b.Bytes())
	return nil
}

const (
	flashCookie = "headgate_told"
	flashLife   = time.Minute
	maxTold     = 500
)

// told is what was done last. It is shown once.
func (r *request) told() string {
	k, err := r.Request.Cookie(flashCookie)
	if err != nil {
		return ""
	}
	r.c.cookie(r.Context, flashCookie, "", -1)
	text, err := url.QueryUnescape(k.Value)
	if err != nil || len(text) > maxTold {
		return ""
	}
	return text
}

const themeCookie = "headgate_theme"

func (r *request) theme() string {
	if k, err := r.Request.Cookie(themeCookie); err == nil && (k.Value == "light" || k.Value == "dark") {
		return k.Value
	}
	return ""
}

// warning is what everybody who is signed in must know.
func (c *Console) warning() string {
	if c.Service.LicenseKeeper == nil {
		return ""
	}
	if state, l := c.Service.LicenseKeeper.State(); l != nil && state == license.Degraded {
		return "The licence of this installation has expired. Traffic is served as before; features that need a licence are off until an owner sets a new one."
	}
	return ""
}

// most is how many elements a page of a list has.
const most = 50

// list is one page of a list.
type list[T any] struct {
	Rows  []T
	After string // the cursor of the next page; "": this is the last
	First bool
}

// page is the part of a list that a request asks for.
func (r *request) page() admin.Page {
	return admin.Page{Limit: most + 1, After: r.Query("after")}
}

// collect reads one page of a list.
func collect[T any](r *request, l admin.List[T], err error) (list[T], error) {
	out := list[T]{First: r.Query("after") == ""}
	if err != nil {
		return out, err
	}
	for v, err := range l.All {
		if err != nil {
			return out, err
		}
		if len(out.Rows) == most {
			out.After = l.Cursor(out.Rows[most-1])
			break
		}
		out.Rows = append(out.Rows, v)
	}
	return out, nil
}

// all reads a list whole, up to a bound that is an error.
func all[T any](l admin.List[T], err error, bound int) ([]T, error) {
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
