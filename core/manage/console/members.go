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
	c.mountGet(list, auth.MembersRead, h.show)
	c.mountPost(list, auth.MembersWrite, handleForm(h.add, h.show))
	c.mountPost(one, auth.MembersWrite, handleForm(h.update, h.show))
	c.mountPost(one+"/sign-out", auth.MembersWrite, func(r *request) error {
		err := r.service().Members().SignOut(r.ctx(), r.who, r.Param("tenant"), r.Param("user"))
		return r.finish(err, buildMembersPath(r.Param("tenant")), "The member was signed out everywhere.")
	})
	c.mountTyped(one+"/remove", auth.MembersWrite, func(r *request) (string, error) {
		u, err := r.service().Members().Get(r.ctx(), r.who, r.Param("tenant"), r.Param("user"))
		return u.Name, err
	}, func(r *request) error {
		err := r.service().Members().Remove(r.ctx(), r.who, r.Param("tenant"), r.Param("user"), "")
		return r.finish(err, buildMembersPath(r.Param("tenant")), "Member removed, with their access tokens and sessions.")
	}, h.show)
}

func buildMembersPath(tenant string) string { return buildWorkspacePath(tenant) + "/members" }

func buildMemberPath(tenant, user string) string { return buildMembersPath(tenant) + "/" + user }

// listMemberColumns returns the columns of the list.
func listMemberColumns() []column[admin.User] {
	return []column[admin.User]{
		{"Name", "", func(_ *request, u admin.User) part { return newTextPart(u.Name) }},
		{"Email address", "break", func(_ *request, u admin.User) part { return newTextPart(u.Email) }},
		{"Roles", "", func(_ *request, u admin.User) part { return newRolesPart(u.Roles) }},
		{"Status", "", func(_ *request, u admin.User) part { return newStatePart(u.Status) }},
		{"Last sign-in", "", func(r *request, u admin.User) part { return r.drawAge(u.LastSignInAt) }},
		newActionsColumn("Actions", func(r *request, u admin.User) part { return part{"member-actions", newMemberActions(r, u)} }),
	}
}

// memberActions are the actions on a member.
type memberActions struct {
	Path, Name string
	Invite     bool // the member has no password, and people sign in with passwords here
	Change     formView
	Open       bool // the change was refused
	Remove     confirmation
}

// newMemberActions returns nil for a reader who has no permission to change members.
func newMemberActions(r *request, u admin.User) *memberActions {
	if !r.who.Can(auth.MembersWrite) {
		return nil
	}
	a := &memberActions{Path: buildMemberPath(r.Param("tenant"), u.ID), Name: u.Name}
	a.Invite = r.c.Passwords && !u.HasPassword && u.Status == "active"
	remove := confirmation{Action: a.Path + "/remove", Button: "Remove " + u.Name}
	a.Remove = r.newTypedConfirmation(remove, u.Name)
	initial := newForm("name", u.Name, "status", u.Status)
	initial.Values["roles"] = u.Roles
	id := "id=m-" + u.ID
	a.Change = formView{Action: a.Path, Button: "Save " + u.Name, Tag: admin.ComputeTag(u)}
	r.fillForm(&a.Change, initial,
		newInput("name", "Name", "required", id+"-name", "autocomplete=off"),
		newCheckboxes("roles", "Roles", listWorkspaceRoles(), id+"-roles"),
		newChoice("status", "Status", newOptions("active", "Active", "disabled", "Disabled"), id+"-status"))
	a.Open = a.Change.Form != initial
	return a
}

// show answers with the list.
func (h *memberHandlers) show(r *request) error {
	tenant := r.Param("tenant")
	members, err := r.service().Members().List(r.ctx(), r.who, tenant, r.readWindow())
	rows, err := readPage(r, members, err)
	if err != nil {
		return err
	}
	w, err := r.service().Tenants().Get(r.ctx(), r.who, tenant)
	if err != nil {
		return err
	}
	p := &listPage{Crumbs: []link{{Path: "/workspaces", Text: "Workspaces"}, {Path: buildWorkspacePath(tenant), Text: w.Name}}}
	p.Table = newTable(r, listMemberColumns(), rows, nil, "This workspace has no members yet. Platform users see it all the same.")
	if r.who.Can(auth.MembersWrite) {
		fields := []field{
			newInput("name", "Name", "required", "autocomplete=off"), newInput("email", "Email address", "required", "type=email",
				"autocomplete=off"),
			newCheckboxes("roles", "Roles", listWorkspaceRoles(), "wide"),
		}
		if h.passwords {
			fields = append(fields, newPasswordInput())
		}
		v := formView{ID: "new", Heading: "New member", Action: buildMembersPath(tenant), Anchor: "new", Button: "Add member"}
		p.After = append(p.After, r.newFormPart(v, newForm("roles", string(auth.RoleViewer)), fields...))
	}
	return r.show("list", "Members of "+w.Name, p)
}

func (h *memberHandlers) add(r *request, f *Form) error {
	n, err := checkChange(f, newMember(f))
	if err != nil {
		return err
	}
	_, err = r.service().Members().Add(r.ctx(), r.who, r.Param("tenant"), n)
	return r.finish(err, buildMembersPath(r.Param("tenant")), "Member added.")
}

func (h *memberHandlers) update(r *request, f *Form) error {
	name, roles := f.readText("name"), f.readValues("roles")
	change, err := checkChange(f, admin.MemberChange{Name: &name, Roles: &roles, Status: f.readOptionalText("status")})
	if err != nil {
		return err
	}
	_, err = r.service().Members().Update(r.ctx(), r.who, r.Param("tenant"), r.Param("user"), change, f.readTag())
	return r.finish(err, buildMembersPath(r.Param("tenant")), "Member saved. The roles apply at once.")
}
