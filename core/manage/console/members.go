package console

import (
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// memberHandlers serve the members of workspaces.
type memberHandlers struct {
	passwords bool
}

func (h *memberHandlers) mount(c *Console) {
	const list, one = "/workspaces/:tenant/members", "/workspaces/:tenant/members/:user"
	c.get(list, auth.MembersRead, h.show)
	c.post(list, auth.MembersWrite, submit(h.add, h.show))
	c.post(one, auth.MembersWrite, submit(h.update, h.show))
	c.post(one+"/sign-out", auth.MembersWrite, func(r *request) error {
		err := r.service().Members().SignOut(r.ctx(), r.who, r.Param("tenant"), r.Param("user"))
		return r.finish(err, membersPath(r.Param("tenant")), "The member was signed out everywhere.")
	})
	c.post(one+"/remove", auth.MembersWrite, func(r *request) error {
		err := r.service().Members().Remove(r.ctx(), r.who, r.Param("tenant"), r.Param("user"), "")
		return r.finish(err, membersPath(r.Param("tenant")), "Member removed, with their access tokens and sessions.")
	})
}

func membersPath(tenant string) string { return workspacePath(tenant) + "/members" }

func memberPath(tenant, user string) string { return membersPath(tenant) + "/" + user }

// memberColumns are the columns of the list.
func memberColumns() []column[admin.User] {
	return []column[admin.User]{
		{"Name", "", func(_ *request, u admin.User) part { return textPart(u.Name) }},
		{"Email address", "break", func(_ *request, u admin.User) part { return textPart(u.Email) }},
		{"Roles", "", func(_ *request, u admin.User) part { return rolesPart(u.Roles) }},
		{"Status", "", func(_ *request, u admin.User) part { return statePart(u.Status) }},
		{"Last sign-in", "", func(r *request, u admin.User) part { return r.drawAge(u.LastSignInAt) }},
		actions("Actions", func(r *request, u admin.User) part { return part{"member-actions", newMemberActions(r, u)} }),
	}
}

// memberActions are the actions on a member.
type memberActions struct {
	Path, Name string
	Change     formView
	Open       bool // the change was refused
}

// newMemberActions returns nil for a reader who has no permission to change members.
func newMemberActions(r *request, u admin.User) *memberActions {
	if !r.who.Can(auth.MembersWrite) {
		return nil
	}
	a := &memberActions{Path: memberPath(r.Param("tenant"), u.ID), Name: u.Name}
	initial := newForm("name", u.Name, "status", u.Status)
	initial.Values["roles"] = u.Roles
	form := r.formAt(a.Path, initial)
	id := "id=m-" + u.ID
	a.Open = form != initial
	a.Change = formView{Action: a.Path, Button: "Save " + u.Name, Tag: admin.Tag(u), Form: form, Fields: drawFields(form, []field{
		input("name", "Name", "required", id+"-name", "autocomplete=off"),
		checkboxes("roles", "Roles", workspaceRoles(), id+"-roles"),
		choice("status", "Status", options("active", "Active", "disabled", "Disabled"), id+"-status"),
	})}
	return a
}

// show answers with the list.
func (h *memberHandlers) show(r *request) error {
	tenant := r.Param("tenant")
	members, err := r.service().Members().List(r.ctx(), r.who, tenant, r.listWindow())
	rows, err := collect(r, members, err)
	if err != nil {
		return err
	}
	w, err := r.service().Tenants().Get(r.ctx(), r.who, tenant)
	if err != nil {
		return err
	}
	p := &listPage{Crumbs: []link{{Path: "/workspaces", Text: "Workspaces"}, {Path: workspacePath(tenant), Text: w.Name}}}
	p.Table = newTable(r, memberColumns(), rows, nil, "This workspace has no members yet. Platform users see it all the same.")
	if r.who.Can(auth.MembersWrite) {
		fields := []field{
			input("name", "Name", "required", "autocomplete=off"), input("email", "Email address", "required", "type=email", "autocomplete=off"),
			checkboxes("roles", "Roles", workspaceRoles(), "wide"),
		}
		if h.passwords {
			fields = append(fields, passwordInput())
		}
		v := formView{ID: "new", Heading: "New member", Action: membersPath(tenant), Anchor: "new", Button: "Add member"}
		p.After = append(p.After, r.formPart(v, newForm("roles", string(auth.RoleViewer)), fields...))
	}
	return r.show("list", "Members of "+w.Name, p)
}

func (h *memberHandlers) add(r *request, f *Form) error {
	n, err := checkChange(f, newMember(f))
	if err != nil {
		return err
	}
	_, err = r.service().Members().Add(r.ctx(), r.who, r.Param("tenant"), n)
	return r.finish(err, membersPath(r.Param("tenant")), "Member added.")
}

func (h *memberHandlers) update(r *request, f *Form) error {
	name, roles := f.text("name"), f.list("roles")
	change, err := checkChange(f, admin.MemberChange{Name: &name, Roles: &roles, Status: f.optionalText("status")})
	if err != nil {
		return err
	}
	_, err = r.service().Members().Update(r.ctx(), r.who, r.Param("tenant"), r.Param("user"), change, f.matchTag())
	return r.finish(err, membersPath(r.Param("tenant")), "Member saved. The roles apply at once.")
}
