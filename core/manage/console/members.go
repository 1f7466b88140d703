package console

import (
	"slices"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// memberHandlers serve the members of workspaces.
type memberHandlers struct {
	passwords bool
}

// members mounts the people of a workspace.
func (h *memberHandlers) mount(c *Console) {
	c.get("/workspaces/:tenant/members", auth.MembersRead, func(r *request) error {
		return h.membersPage(r, memberList{Form: newForm("roles", string(auth.RoleViewer))}, nil)
	})
	c.post("/workspaces/:tenant/members", auth.MembersWrite, h.addMember)
	c.post("/workspaces/:tenant/members/:user", auth.MembersWrite, h.updateMember)
	c.post("/workspaces/:tenant/members/:user/sign-out", auth.MembersWrite, h.signOutMember)
	c.post("/workspaces/:tenant/members/:user/remove", auth.MembersWrite, h.removeMember)
}

// memberList is what the page shows.
type memberList struct {
	Workspace admin.Tenant
	Members   list[admin.User]
	Form      *Form // of a new member
	Roles     []Option
	Passwords bool
	Wrong     *Form  // a change of a member that was refused
	Whose     string // id of that member
}

// Edit is the form of a member: as they are, or as it was sent when it was refused.
func (l memberList) Edit(u admin.User) *Form {
	if l.Wrong != nil && l.Whose == u.ID {
		return l.Wrong
	}
	f := newForm("name", u.Name, "status", u.Status)
	f.Values["roles"] = slices.Clone(u.Roles)
	return f
}

// Tag is that of a member's version.
func (memberList) Tag(u admin.User) string { return admin.Tag(u) }

func (h *memberHandlers) membersPage(r *request, data memberList, refused error) error {
	tenant := r.Param("tenant")
	members, err := r.service().Members().List(r.ctx(), r.who, tenant, r.page())
	if data.Members, err = collect(r, members, err); err != nil {
		return err
	}
	if data.Workspace, err = r.service().Tenants().Get(r.ctx(), r.who, tenant); err != nil {
		return err
	}
	data.Roles, data.Passwords = roleChoices(false, true), h.passwords
	if data.Form == nil {
		data.Form = newForm("roles", string(auth.RoleViewer))
	}
	title := "Members of " + data.Workspace.Name
	if refused != nil {
		f := data.Wrong
		if f == nil {
			f = data.Form
		}
		return r.again("members", title, data, f, refused)
	}
	return r.show("members", title, data)
}

func membersPath(tenant string) string { return workspacePath(tenant) + "/members" }

func (h *memberHandlers) addMember(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	n := newMember(f)
	if err = admin.Bounded(n); err == nil {
		_, err = r.service().Members().Add(r.ctx(), r.who, r.Param("tenant"), n)
	}
	if err != nil {
		return h.membersPage(r, memberList{Form: f}, err)
	}
	return r.done(membersPath(r.Param("tenant")), "The member is added.")
}

func (h *memberHandlers) updateMember(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	name, roles := f.text("name"), append([]string{}, f.Values["roles"]...)
	change := admin.MemberChange{Name: &name, Roles: &roles, Status: f.opt("status")}
	if err = admin.Bounded(change); err == nil {
		_, err = r.service().Members().Update(r.ctx(), r.who, r.Param("tenant"), r.Param("user"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		return h.membersPage(r, memberList{Wrong: f, Whose: r.Param("user")}, err)
	}
	return r.done(membersPath(r.Param("tenant")), "The member is changed. What they may do holds from now on.")
}

func (h *memberHandlers) signOutMember(r *request) error {
	if err := r.service().Members().SignOut(r.ctx(), r.who, r.Param("tenant"), r.Param("user")); err != nil {
		return err
	}
	return r.done(membersPath(r.Param("tenant")), "The member is signed out everywhere.")
}

func (h *memberHandlers) removeMember(r *request) error {
	if err := r.service().Members().Remove(r.ctx(), r.who, r.Param("tenant"), r.Param("user"), ""); err != nil {
		return err
	}
	return r.done(membersPath(r.Param("tenant")), "The member is removed, and their tokens and sessions with them.")
}
