package console

import (
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// userPages serves the people who administer.
type userPages struct {
	*resource[admin.User]
	passwords bool
}

// newUserPages declares the pages of users.
func newUserPages(passwords bool) *userPages {
	h := &userPages{passwords: passwords}
	h.resource = &resource[admin.User]{
		path: "/users", param: "user", title: "Users", read: auth.UsersRead, write: auth.UsersWrite,
		intro: "The people who administer the whole platform or one workspace.",
		empty: "There are no users yet.",
		columns: []column[admin.User]{
			{"Name", "", func(_ *request, u admin.User) part { return newLinkPart(buildUserPath(u.ID), u.Name) }},
			{"Email address", "break", func(_ *request, u admin.User) part { return newTextPart(u.Email) }},
			{"Roles", "", func(_ *request, u admin.User) part { return newRolesPart(u.Roles) }},
			{"Workspace", "", func(r *request, u admin.User) part { return newUserScope(r, u) }},
			{"Status", "", func(_ *request, u admin.User) part { return newStatePart(u.Status) }},
			{"Last sign-in", "", func(r *request, u admin.User) part { return r.drawAge(u.LastSignInAt) }},
		},
		list: func(r *request) (list[admin.User], error) {
			users, err := r.service().Users().List(r.ctx(), r.who, "", r.readWindow())
			return readPage(r, users, err)
		},
		form: h.newForm,
		create: func(r *request, f *Form) error {
			n, err := checkChange(f, admin.NewUser{NewMember: newMember(f), TenantID: f.readText("tenant_id")})
			if err != nil {
				return err
			}
			u, err := r.service().Users().Create(r.ctx(), r.who, n)
			if err != nil {
				return err
			}
			return r.redirectWithNotice(buildUserPath(u.ID), "User created.")
		},
		page: h.showUser,
		update: func(r *request, id string, f *Form) error {
			name, email, tenant := f.readText("name"), f.readText("email"), f.readText("tenant_id")
			roles := f.readValues("roles")
			change := admin.UserChange{Name: &name, Email: &email, Roles: &roles, TenantID: &tenant, Status: f.readOptionalText("status")}
			return h.change(r, id, f, change, f.readTag(), "User saved. The roles apply at once.")
		},
		remove: func(r *request, id string) error { return r.service().Users().Delete(r.ctx(), r.who, id, "") },
		name: func(r *request, id string) (string, error) {
			u, err := r.service().Users().Get(r.ctx(), r.who, id)
			return u.Name, err
		},
		told: "User deleted, with their access tokens and sessions.",
	}
	if !passwords {
		h.intro += " People are added here when they first sign in at the identity provider, which sets their roles at each sign-in."
	}
	return h
}

func (h *userPages) mount(c *Console) {
	h.resource.mount(c)
	c.mountPost("/users/:user/password", auth.UsersWrite, handleForm(func(r *request, f *Form) error {
		password := f.Values.Get("password")
		return h.change(r, r.Param("user"), f, admin.UserChange{Password: &password}, "", "Password set. The user was signed out everywhere.")
	}, h.page))
	c.mountPost("/users/:user/sign-out", auth.UsersWrite, func(r *request) error {
		err := r.service().Users().SignOut(r.ctx(), r.who, r.Param("user"))
		return r.finish(err, buildUserPath(r.Param("user")), "The user was signed out everywhere.")
	})
}

// change changes a user, and answers with their page.
func (h *userPages) change(r *request, id string, f *Form, change admin.UserChange, m admin.Match, told string) error {
	change, err := checkChange(f, change)
	if err != nil {
		return err
	}
	_, err = r.service().Users().Update(r.ctx(), r.who, id, change, m)
	return r.finish(err, buildUserPath(id), told)
}

func buildUserPath(id string) string { return "/users/" + url.PathEscape(id) }

// listPlatformRoles and listWorkspaceRoles are the roles as forms offer them.
func listPlatformRoles() []Option {
	return newOptions("owner", "owner: everything", "policy-admin", "policy-admin: policies, routes, guardrails, audit",
		"billing-admin", "billing-admin: prices, costs, budgets", "auditor", "auditor: reads everything, changes nothing")
}

func listWorkspaceRoles() []Option {
	return newOptions("admin", "admin: a workspace's keys and members", "developer", "developer: keys, usage, policy dry runs",
		"viewer", "viewer: read-only")
}

func newRolesPart(roles []string) part {
	if len(roles) == 0 {
		return newTextPart("none")
	}
	return newTextPart(strings.Join(roles, ", "))
}

func newUserScope(r *request, u admin.User) part {
	if u.TenantID == nil {
		return newTextPart("the platform")
	}
	return newLinkPart(buildWorkspacePath(*u.TenantID), r.openWorkspaceNames().NameOf(*u.TenantID))
}

// listUserFields returns the fields of a new user and of one that is changed.
func listUserFields(r *request) ([]field, error) {
	workspaces, err := r.listWorkspaceChoices("The whole platform")
	return []field{
		newInput("name", "Name", "required", "autocomplete=off"),
		newInput("email", "Email address", "required", "type=email", "autocomplete=off"),
		newCheckboxes("roles", "Roles", append(listPlatformRoles(), listWorkspaceRoles()...), "wide",
			"hint=The first three are platform roles, the others workspace roles. A user has roles of one kind."),
		newChoice("tenant_id", "Workspace", workspaces),
	}, err
}

func newPasswordInput() field {
	return newInput("password", "First password", "type=password", "autocomplete=new-password",
		"hint=At least 12 characters. Tell it to the user, who must change it at the first sign-in. Leave it empty to invite by a link.")
}

func (h *userPages) newForm(r *request) (part, error) {
	fields, err := listUserFields(r)
	if h.passwords {
		fields = append(fields, newPasswordInput())
	}
	v := formView{ID: "new", Heading: "New user", Action: "/users", Anchor: "new", Button: "Create user"}
	return r.newFormPart(v, newForm(), fields...), err
}

// newMember reads the fields of a new user or member.
func newMember(f *Form) admin.NewMember {
	return admin.NewMember{
		Email: f.readText("email"), Name: f.readText("name"), Roles: f.readValues("roles"), Password: f.Values.Get("password"),
	}
}

func (h *userPages) showUser(r *request) error {
	u, err := r.service().Users().Get(r.ctx(), r.who, r.Param("user"))
	if err != nil {
		return err
	}
	password := "none"
	switch {
	case u.MustChange:
		password = "set by somebody else; the user must change it"
	case u.HasPassword:
		password = "set"
	}
	p := &recordPage{Crumbs: []link{{Path: "/users", Text: h.title}}, State: u.Status}
	p.add(part{"facts", []fact{
		{"Id", newCodePart(u.ID)},
		{"Email address", newTextPart(u.Email)},
		{"Workspace", newUserScope(r, u)},
		{"Roles", newRolesPart(u.Roles)},
		{"Password", newTextPart(password)},
		{"Created", newTimePart(u.CreatedAt)},
		{"Last sign-in", r.drawAge(u.LastSignInAt)},
	}})
	if u.InvitedUntil != nil {
		p.add(part{"facts", []fact{{"Invited until", newTimePart(u.InvitedUntil)}}})
	}
	if h.passwords && r.who.Can(h.write) && !u.HasPassword && u.Status == "active" {
		p.add(part{"actions", []part{newConfirmPart(confirmation{
			Opens: "Invite…", Says: "A link is created, with which the person chooses a password. It is shown once and valid for 72 hours; an earlier one ends.",
			Action: buildUserPath(u.ID) + "/invite", Button: "Create invitation", Once: true, Left: true,
		})}})
	}
	if r.who.Can(h.write) {
		if err := h.addForms(r, p, u); err != nil {
			return err
		}
	}
	return r.show("record", u.Name, p)
}

// addForms adds the actions on a user.
func (h *userPages) addForms(r *request, p *recordPage, u admin.User) error {
	fields, err := listUserFields(r)
	if err != nil {
		return err
	}
	initial := newForm("name", u.Name, "email", u.Email, "status", u.Status)
	initial.Values["roles"] = u.Roles
	if u.TenantID != nil {
		initial.Values.Set("tenant_id", *u.TenantID)
	}
	settings := formView{
		ID: "settings", Heading: "Settings", Action: buildUserPath(u.ID), Anchor: "settings", Button: "Save user",
		Tag: admin.ComputeTag(u),
	}
	if !h.passwords {
		settings.Intro = newHintPart("The next sign-in replaces roles and workspace with those of the identity provider. A user who is disabled " +
			"here stays disabled.")
	}
	p.add(r.newFormPart(settings, initial, append(fields, newChoice("status", "Status", newOptions("active", "Active", "disabled", "Disabled"),
		"hint=Sessions, access tokens and JWTs of a disabled user are rejected."))...))
	if h.passwords {
		p.add(r.newFormPart(formView{
			ID: "password", Heading: "Password", Action: buildUserPath(u.ID) + "/password", Anchor: "password", Button: "Set password", Plain: true,
		}, newForm(), newInput("password", "New password", "required", "type=password", "autocomplete=new-password",
			"hint=At least 12 characters. Setting it ends the user's sessions.")))
	}
	says := "Their sessions and access tokens end at once. This cannot be undone."
	if u.ID == r.who.UserID {
		says = "This is your own account. " + says
	}
	p.add(part{"heading", "Sessions and account"}, part{"actions", []part{
		{"button", link{Path: buildUserPath(u.ID) + "/sign-out", Text: "Sign out everywhere"}},
		h.newTypedDeletion(r, u.ID, u.Name, "Delete user…", says),
	}})
	return nil
}
