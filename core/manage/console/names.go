package console

import "github.com/headgate-dev/headgate/core/manage/admin"

// names finds the names of workspaces, each once.
type names struct {
	r     *request
	known map[string]string
}

func (r *request) names() *names { return &names{r, map[string]string{}} }

// Of is the name of a workspace; of one that is deleted, or that the reader may not see, its id.
func (n *names) Of(id any) string {
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

// mostChoices is how many workspaces a field offers.
const mostChoices = 200

// workspaceChoices are the workspaces that a field offers, behind what none of them is called; "" leaves that out.
// Somebody of a workspace is offered their own alone.
func (r *request) workspaceChoices(none string) ([]Option, error) {
	var out []Option
	if none != "" && r.who.Tenant == "" {
		out = options("", none)
	}
	tenants, err := r.service().Tenants().List(r.ctx(), r.who, admin.Page{Limit: mostChoices})
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
