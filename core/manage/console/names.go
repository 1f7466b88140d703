package console

import "github.com/headgate-dev/headgate/core/manage/admin"

// names caches the names of workspaces for one page.
type names struct {
	r     *request
	known map[string]string
}

// openWorkspaceNames returns the names of workspaces. Each is read once per page.
func (r *request) openWorkspaceNames() *names {
	if r.cached == nil {
		r.cached = &names{r, map[string]string{}}
	}
	return r.cached
}

// NameOf returns the name of a workspace, or its id if it was deleted or the reader has no permission to see it.
func (n *names) NameOf(id any) string {
	text := ""
	switch v := id.(type) {
	case string:
		text = v
	case *string:
		if v != nil {
			text = *v
		}
	}
	if text == "" {
		return ""
	}
	if name, ok := n.known[text]; ok {
		return name
	}
	name := text
	if t, err := n.r.service().Tenants().Get(n.r.ctx(), n.r.who, text); err == nil {
		name = t.Name
	}
	n.known[text] = name
	return name
}

// maxChoices limits the workspaces that a field offers.
const maxChoices = 200

// listWorkspaceChoices returns the workspaces that a field offers. If none is not empty, it labels a first option for no
// workspace. Users of a workspace get only their own.
func (r *request) listWorkspaceChoices(none string) ([]Option, error) {
	var out []Option
	if none != "" && r.who.Tenant == "" {
		out = newOptions("", none)
	}
	tenants, err := r.service().Tenants().List(r.ctx(), r.who, admin.Page{Limit: maxChoices})
	if err != nil {
		return nil, err
	}
	for t, err := range tenants.All {
		if err != nil {
			return nil, err
		}
		out = append(out, Option{Value: t.ID, Label: t.Name})
	}
	return out, nil
}

// isLicensed reports whether the licence includes a feature.
func (r *request) isLicensed(feature string) bool { return r.service().License.IsLicensed(feature) }

// openUserNames returns the names of users by their ids.
func (r *request) openUserNames() *admin.People { return r.service().OpenPeople(r.ctx(), r.who) }
