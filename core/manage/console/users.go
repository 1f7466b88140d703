package console

import (
	"net/url"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// userHandlers serve the people who administer.
type userHandlers struct {
	passwords bool
}

// users mounts the people who administer.
func (h *userHandlers) mount(c *Console) {
	c.get("/users", auth.UsersRead, func(r *request) error { return h.usersPage(r, newForm("roles", ""), nil) })
	c.post("/users", auth.UsersWrite, h.createUser)
	c.get("/users/:user", auth.UsersRead, func(r *request) error { return h.userPage(r, nil, nil, nil) })
	c.post("/users/:user", auth.UsersWrite, h.updateUser)
	c.post("/users/:user/password", auth.UsersWrite, h.resetPassword)
	c.post("/users/:user/sign-out", auth.UsersWrite, h.signOutUser)
	c.post("/users/:user/delete", auth.UsersWrite, h.deleteUser)
}

// roleChoices are the roles as forms offer them.
func roleChoices(platform, tenant bool) []Option {
	var out []Option
	if platform {
		out = options("owner", "owner: everything", "policy-admin", "policy-admin: policies, routes, guardrails, audit",
			"billing-admin", "billing-admin: prices, costs, budgets")
	}
	if tenant {
		out = append(out, options("admin", "admin: a workspace's keys and members", "developer", "developer: keys, usage, tries of policies",
			"viewer", "viewer: reads")...)
	}
	return out
}

// userList is what the list shows.
type userList struct {
	Users      list[admin.User]
	Form       *Form
	Roles      []Option
	Workspaces []Option
	Names      *names
	Passwords  bool
}

func (h *userHandlers) usersPage(r *request, f *Form, refused error) error {
	users, err := r.service().Users().List(r.ctx(), r.who, "", r.page())
	data := userList{Form: f, Roles: roleChoices(true, true), Names: r.names(), Passwords: h.passwords}
	if data.Users, err = collect(r, users, err); err != nil {
		return err
	}
	if data.Workspaces, err = r.workspaceChoices("The whole platform"); err != nil {
		return err
	}
	if refused != nil {
		return r.again("users", "Users", data, f, refused)
	}
	return r.show("users", "Users", data)
}

func (h *userHandlers) createUser(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	n := admin.NewUser{NewMember: newMember(f), TenantID: f.text("tenant_id")}
	if err = admin.Bounded(n); err != nil {
		return h.usersPage(r, f, err)
	}
	u, err := r.service().Users().Create(r.ctx(), r.who, n)
	if err != nil {
		return h.usersPage(r, f, err)
	}
	return r.done(userPath(u.ID), "The user is made.")
}

// newMember are the fields that a form sends of somebody new.
func newMember(f *Form) admin.NewMember {
	return admin.NewMember{Email: f.text("email"), Name: f.text("name"), Roles: append([]string{}, f.Values["roles"]...), Password: f.Values.Get("password")}
}

func userPath(id string) string { return "/users/" + url.PathEscape(id) }

// userView is what the page of one user shows.
type userView struct {
	User           admin.User
	Tag            string // of the version that is shown
	Workspace      string
	Edit, Password *Form
	Roles          []Option
	Workspaces     []Option
	Passwords      bool
	Self           bool
}

// userPage shows a user. Its forms are those of the request, where one was refused.
func (h *userHandlers) userPage(r *request, edit, password *Form, refused error) error {
	u, err := r.service().Users().Get(r.ctx(), r.who, r.Param("user"))
	if err != nil {
		return err
	}
	v := userView{
		User: u, Tag: admin.Tag(u), Edit: edit, Password: password, Roles: roleChoices(true, true), Passwords: h.passwords,
		Self: u.ID == r.who.UserID, Workspace: r.names().Of(u.TenantID),
	}
	if v.Edit == nil {
		v.Edit = newForm("name", u.Name, "email", u.Email, "status", u.Status)
		v.Edit.Values["roles"] = u.Roles
		if u.TenantID != nil {
			v.Edit.Values.Set("tenant_id", *u.TenantID)
		}
	}
	if v.Password == nil {
		v.Password = newForm()
	}
	if v.Workspaces, err = r.workspaceChoices("The whole platform"); err != nil {
		return err
	}
	if refused != nil {
		f := edit
		if f == nil {
			f = password
		}
		return r.again("user", u.Name, v, f, refused)
	}
	return r.show("user", u.Name, v)
}

func (h *userHandlers) updateUser(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	name, email, tenant := f.text("name"), f.text("email"), f.text("tenant_id")
	roles := append([]string{}, f.Values["roles"]...)
	change := admin.UserChange{Name: &name, Email: &email, Roles: &roles, TenantID: &tenant, Status: f.opt("status")}
	if err = admin.Bounded(change); err == nil {
		_, err = r.service().Users().Update(r.ctx(), r.who, r.Param("user"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		return h.userPage(r, f, nil, err)
	}
	return r.done(userPath(r.Param("user")), "The user is changed. What they may do holds from now on.")
}

func (h *userHandlers) resetPassword(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	password := f.Values.Get("password")
	change := admin.UserChange{Password: &password}
	if err = admin.Bounded(change); err == nil {
		_, err = r.service().Users().Update(r.ctx(), r.who, r.Param("user"), change, "")
	}
	if err != nil {
		return h.userPage(r, nil, f, err)
	}
	return r.done(userPath(r.Param("user")), "The password is set, and the user is signed out everywhere.")
}

func (h *userHandlers) signOutUser(r *request) error {
	if err := r.service().Users().SignOut(r.ctx(), r.who, r.Param("user")); err != nil {
		return err
	}
	return r.done(userPath(r.Param("user")), "The user is signed out everywhere.")
}

func (h *userHandlers) deleteUser(r *request) error {
	if err := r.service().Users().Delete(r.ctx(), r.who, r.Param("user"), ""); err != nil {
		return err
	}
	return r.done("/users", "The user is deleted, and their tokens and sessions with them.")
}
