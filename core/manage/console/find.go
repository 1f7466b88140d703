package console

import (
	"net/url"
	"regexp"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// findHandlers serve the search for a place in the console: a page of the menu, a workspace, a key or a request.
type findHandlers struct{ menu func(r *request) []section }

func (h *findHandlers) mount(c *Console) {
	h.menu = func(r *request) []section { return c.buildMenu(r.who, "") }
	c.mountGet("/find", "", h.find)
}

// place is a result of the search.
type place struct{ Kind, Name, Path string }

// findPage is the data of the page.
type findPage struct {
	Form   *Form
	Places []place
	Cut    bool // more workspaces exist than were searched
	Asked  bool
}

const (
	maxPlaces      = 12
	maxSearched    = 1000 // workspaces whose names are compared: they are read one by one
	maxQueryLength = 200
)

// requestID matches the id of an exchange or of a trace.
var requestID = regexp.MustCompile(`^[0-9a-f]{32}$`)

func (h *findHandlers) find(r *request) error {
	text := strings.TrimSpace(r.Query("q"))
	if len(text) > maxQueryLength {
		text = strings.ToValidUTF8(text[:maxQueryLength], "")
	}
	p := &findPage{Form: &Form{Values: url.Values{"q": {text}}}, Asked: text != ""}
	p.addPages(h.menu(r), text)
	if p.Asked {
		if err := p.addWorkspaces(r, text); err != nil {
			return err
		}
		p.addKey(r, text)
		p.addRequests(r, text)
	}
	return r.show("find", "Go to", p)
}

// contains compares without regard to case. An empty text is contained in every name.
func contains(name, text string) bool {
	return strings.Contains(strings.ToLower(name), strings.ToLower(text))
}

func (p *findPage) add(kind, name, path string) { p.Places = append(p.Places, place{kind, name, path}) }

// addPages adds the pages that the user may open and whose name contains a text.
func (p *findPage) addPages(menu []section, text string) {
	for _, s := range menu {
		for _, i := range s.Items {
			if contains(i.Name, text) {
				p.add("Page", i.Name, i.Path)
			}
		}
	}
	for _, i := range []item{{Name: "Your account", Path: "/account"}, {Name: "Access tokens", Path: "/tokens"}} {
		if contains(i.Name, text) {
			p.add("Page", i.Name, i.Path)
		}
	}
}

// addWorkspaces adds the workspaces whose name contains a text, or whose id it is.
func (p *findPage) addWorkspaces(r *request, text string) error {
	if !r.who.Can(auth.TenantsRead) {
		return nil
	}
	tenants, err := r.service().Tenants().List(r.ctx(), r.who, admin.Page{Limit: maxSearched + 1})
	if err != nil {
		return err
	}
	n, found := 0, map[string]bool{}
	for t, err := range tenants.All {
		if err != nil {
			return err
		}
		if n++; n > maxSearched || len(found) == maxPlaces {
			p.Cut = true
			break
		}
		if t.ID == text || contains(t.Name, text) {
			found[t.ID] = true
			p.add("Workspace", t.Name, buildWorkspacePath(t.ID))
		}
	}
	if p.Cut && !found[text] {
		if t, err := r.service().Tenants().Get(r.ctx(), r.who, text); err == nil {
			p.add("Workspace", t.Name, buildWorkspacePath(t.ID))
		}
	}
	return nil
}

// addKey adds the key with an id.
func (p *findPage) addKey(r *request, id string) {
	if k, err := r.service().Keys().Find(r.ctx(), r.who, id); err == nil {
		p.add("Key", k.Name, buildKeyPath(k.TenantID, k.ID))
	}
}

// addRequests adds the list of requests with an id, or of a model that a text names.
func (p *findPage) addRequests(r *request, text string) {
	switch {
	case !admin.SeesTraffic(r.who):
	case requestID.MatchString(text):
		p.add("Request", text, "/requests?id="+text)
	default:
		p.add("Requests", "of models that contain “"+text+"”", "/requests?model="+url.QueryEscape(text))
	}
}
