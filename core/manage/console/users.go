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

// users declares the pages of users.
func users(passwords bool) *userPages {
	h := &userPages{passwords: passwords}
	h.resource = &resource[admin.User]{
		path: "/users", param: "user", title: "Users", read: auth.UsersRead, write: auth.UsersWrite,
		intro: "The people who administer the whole platform or one workspace.",
		empty: "There are no users yet.",
		columns: []column[admin.User]{
			{"Name", "", func(_ *request, u admin.User) part { return linkPart(userPath(u.ID), u.Name) }},
			{"Email address", "break", func(_ *request, u admin.User) part { return textPart(u.Email) }},
			{"Roles", "", func(_ *request, u admin.User) part { return rolesPart(u.Roles) }},
			{"Workspace", "", func(r *request, u admin.User) part { return userScope(r, u) }},
			{"Status", "", func(_ *request, u admin.User) part { return statePart(u.Status) }},
			{"Last sign-in", "", func(r *request, u admin.User) part { return r.drawAge(u.LastSignInAt) }},
		},
		list: func(r *request) (list[admin.User], error) {
			users, err := r.service().Users().List(r.ctx(), r.who, "", r.listWindow())
			return collect(r, users, err)
		},
		form: h.newForm,
		create: func(r *request, f *Form) error {
			n, err := checkChange(f, admin.NewUser{NewMember: newMember(f), TenantID: f.text("tenant_id")})
			if err != nil {
				return err
			}
			u, err := r.service().Users().Create(r.ctx(), r.who, n)
			if err != nil {
				return err
			}
			return r.redirectWithNotice(userPath(u.ID), "User created.")
		},
		page: h.showUser,
		update: func(r *request, id string, f *Form) error {
			name, email, tenant := f.text("name"), f.text("email"), f.text("tenant_id")
			roles := f.list("roles")
			change := admin.UserChange{Name: &name, Email: &email, Roles: &roles, TenantID: &tenant, Status: f.optionalText("status")}
			return h.change(r, id, f, change, f.matchTag(), "User saved. The roles apply at once.")
		},
		remove: func(r *request, id string) error { return r.service().Users().Delete(r.ctx(), r.who, id, "") },
		told:   "User deleted, with their access tokens and sessions.",
	}
	if !passwords {
		h.intro += " People are added here when they first sign in at the identity provider, which sets their roles at each sign-in."
	}
	return h
}

func (h *userPages) mount(c *Console) {
	h.resource.mount(c)
	c.post("/users/:user/password", auth.UsersWrite, submit(func(r *request, f *Form) error {
		password := f.Values.Get("password")
		return h.change(r, r.Param("user"), f, admin.UserChange{Password: &password}, "", "Password set. The user was signed out everywhere.")
	}, h.page))
	c.post("/users/:user/sign-out", auth.UsersWrite, func(r *request) error {
		err := r.service().Users().SignOut(r.ctx(), r.who, r.Param("user"))
		return r.finish(err, userPath(r.Param("user")), "The user was signed out everywhere.")
	})
}

// change changes a user, and answers with their page.
func (h *userPages) change(r *request, id string, f *Form, change admin.UserChange, m admin.Match, told string) error {
	change, err := checkChange(f, change)
	if err != nil {
		return err
	}
	_, err = r.service().Users().Update(r.ctx(), r.who, id, change, m)
	return r.finish(err, userPath(id), told)
}

func userPath(id string) string { return "/users/" + url.PathEscape(id) }

// platformRoles and workspaceRoles are the roles as forms offer them.
func platformRoles() []Option {
	return options("owner", "owner: everything", "policy-admin", "policy-admin: policies, routes, guardrails, audit",
		"billing-admin", "billing-admin: prices, costs, budgets")
}

func workspaceRoles() []Option {
	return options("admin", "admin: a workspace's keys and members", "developer", "developer: keys, usage, policy dry runs",
		"viewer", "viewer: read-only")
}

func rolesPart(roles []string) part {
	if len(roles) == 0 {
		return textPart("none")
	}
	return textPart(strings.Join(roles, ", "))
}

func userScope(r *request, u admin.User) part {
	if u.TenantID == nil {
		return textPart("the platform")
	}
	return linkPart(workspacePath(*u.TenantID), r.workspaceNames().NameOf(*u.TenantID))
}

// userFields are the fields of a new user and of one that is changed.
func userFields(r *request) ([]field, error) {
	workspaces, err := r.workspaceChoices("The whole platform")
	return []field{
		input("name", "Name", "required", "autocomplete=off"),
		input("email", "Email address", "required", "type=email", "autocomplete=off"),
		checkboxes("roles", "Roles", append(platformRoles(), workspaceRoles()...), "wide",
			"hint=The first three are platform roles, the others workspace roles. A user has roles of one kind."),
		choice("tenant_id", "Workspace", workspaces),
	}, err
}

func passwordInput() field {
	return input("password", "First password", "type=password", "autocomplete=new-password",
		"hint=At least 12 characters. Tell it to the user, who can change it under Your account.")
}

func (h *userPages) newForm(r *request) (part, error) {
	fields, err := userFields(r)
	if h.passwords {
		fields = append(fields, passwordInput())
	}
	v := formView{ID: "new", Heading: "New user", Action: "/users", Anchor: "new", Button: "Create user"}
	return r.formPart(v, newForm(), fields...), err
}

// newMember reads the fields of a new user or member.
func newMember(f *Form) admin.NewMember {
	return admin.NewMember{Email: f.text("email"), Name: f.text("name"), Roles: f.list("roles"), Password: f.Values.Get("password")}
}

func (h *userPages) showUser(r *request) error {
	u, err := r.service().Users().Get(r.ctx(), r.who, r.Param("user"))
	if err != nil {
		return err
	}
	password := "none"
	if u.HasPassword {
		password = "set"
	}
	p := &recordPage{Crumbs: []link{{Path: "/users", Text: h.title}}, State: u.Status}
	p.add(part{"facts", []fact{
		{"Id", codePart(u.ID)},
		{"Email address", textPart(u.Email)},
		{"Workspace", userScope(r, u)},
		{"Roles", rolesPart(u.Roles)},
		{"Password", textPart(password)},
		{"Created", timePart(u.CreatedAt)},
		{"Last sign-in", r.drawAge(u.LastSignInAt)},
	}})
	if r.who.Can(h.write) {
		if err := h.addForms(r, p, u); err != nil {
			return err
		}
	}
	return r.show("record", u.Name, p)
}

// addForms adds the actions on a user.
func (h *userPages) addForms(r *request, p *recordPage, u admin.User) error {
	fields, err := userFields(r)
	if err != nil {
		return err
	}
	initial := newForm("name", u.Name, "email", u.Email, "status", u.Status)
	initial.Values["roles"] = u.Roles
	if u.TenantID != nil {
		initial.Values.Set("tenant_id", *u.TenantID)
	}
	settings := formView{
		ID: "settings", Heading: "Settings", Action: userPath(u.ID), Anchor: "settings", Button: "Save user",
		Tag: admin.Tag(u),
	}
	if !h.passwords {
		settings.Intro = hintPart("The next sign-in replaces roles and workspace with those of the identity provider. A user who is disabled " +
			"here stays disabled.")
	}
	p.add(r.formPart(settings, initial, append(fields, choice("status", "Status", options("active", "Active", "disabled", "Disabled"),
		"hint=Sessions, access tokens and JWTs of a disabled user are rejected."))...))
	if h.passwords {
		p.add(r.formPart(formView{
			ID: "password", Heading: "Password", Action: userPath(u.ID) + "/password", Anchor: "password", Button: "Set password", Plain: true,
		}, newForm(), input("password", "New password", "required", "type=password", "autocomplete=new-password",
			"hint=At least 12 characters. Setting it ends the user's sessions.")))
	}
	says := "Their sessions and access tokens end at once. This cannot be undone."
	if u.ID == r.who.UserID {
		says = "This is your own account. " + says
	}
	p.add(part{"heading", "Sessions and account"}, part{"actions", []part{
		{"button", link{Path: userPath(u.ID) + "/sign-out", Text: "Sign out everywhere"}},
		h.deletion(u.ID, "Delete user…", says, "Delete "+u.Name),
	}})
	return nil
}
