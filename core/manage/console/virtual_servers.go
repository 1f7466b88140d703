package console

import (
	"net/url"
	"slices"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// virtualPages serve the virtual servers, which join MCP servers under one address.
type virtualPages struct{ *resource[admin.VirtualServer] }

// newVirtualPages declares the pages of virtual servers.
func newVirtualPages() *virtualPages {
	h := &virtualPages{}
	h.resource = &resource[admin.VirtualServer]{
		path: "/virtual-servers", param: "name", title: "Virtual servers", read: auth.MCPRead, write: auth.MCPWrite,
		intro: "Several MCP servers under one address. The tool find of the server search is named search__find.",
		empty: "There are no virtual servers. Create one below, or write it under virtual_servers in the configuration file.",
		key:   func(v admin.VirtualServer) string { return v.Name },
		columns: []column[admin.VirtualServer]{
			{"Virtual server", "break", func(_ *request, v admin.VirtualServer) part { return newLinkPart(buildVirtualPath(v.Name), v.Name) }},
			{"Status", "", func(_ *request, v admin.VirtualServer) part { return newStatePart(nameEnabledState(v.Enabled)) }},
			{"Servers", "break", func(_ *request, v admin.VirtualServer) part { return newTextPart(joinWords(listMemberNames(v))) }},
			{"Source", "", func(_ *request, v admin.VirtualServer) part { return newSourcePart(v.Source) }},
		},
		list: func(r *request) (list[admin.VirtualServer], error) {
			all, err := r.service().VirtualServers().List(r.ctx(), r.who, r.readWindow())
			return readPage(r, all, err)
		},
		head: func(_ *request, p *listPage) error {
			p.Crumbs = []link{{Path: "/mcp-servers", Text: "MCP servers"}}
			return nil
		},
		form: func(r *request) (part, error) {
			v := formView{
				ID: "new", Heading: "New virtual server", Action: "/virtual-servers", Anchor: "new", Button: "Create virtual server",
				Autocomplete: "off",
			}
			return r.newFormPart(v, newForm(),
				newInput("name", "Name", "required", "placeholder=team", "hint=Clients reach it at /mcp/ and this name. It cannot be changed."),
				newMembersField()), nil
		},
		create: func(r *request, f *Form) error {
			n, err := checkChange(f, admin.NewVirtualServer{
				Name: f.readText("name"), VirtualServerChange: admin.VirtualServerChange{Servers: readMembers(f, nil)},
			})
			if err != nil {
				return err
			}
			v, err := r.service().VirtualServers().Create(r.ctx(), r.who, n)
			return r.finish(err, buildVirtualPath(v.Name), "Virtual server created. Clients reach it within seconds.")
		},
		page: h.show, update: h.save,
		name: nameByID,
		remove: func(r *request, name string) error {
			return r.service().VirtualServers().Delete(r.ctx(), r.who, name, "")
		},
		told: "Virtual server deleted. Its servers stay.",
	}
	return h
}

func buildVirtualPath(name string) string { return "/virtual-servers/" + url.PathEscape(name) }

// newMembersField declares the field with the names of the members.
func newMembersField() field {
	return newInput("servers", "Servers", "required", "placeholder=search, files", "hint=Names of MCP servers, in the order of lists.")
}

func listMemberNames(v admin.VirtualServer) (names []string) {
	for _, m := range v.Servers {
		names = append(names, m.Server)
	}
	return names
}

// readMembers reads the members. Those that stay keep the tools to which they are limited.
func readMembers(f *Form, before []store.VirtualMember) *[]store.VirtualMember {
	members := []store.VirtualMember{}
	for _, name := range f.readWords("servers") {
		m := store.VirtualMember{Server: name}
		if at := slices.IndexFunc(before, func(b store.VirtualMember) bool { return b.Server == name }); at >= 0 {
			m = before[at]
		}
		members = append(members, m)
	}
	return &members
}

func (h *virtualPages) show(r *request) error {
	v, err := r.service().VirtualServers().Get(r.ctx(), r.who, r.Param("name"))
	if err != nil {
		return err
	}
	p := &recordPage{
		Crumbs: []link{{Path: "/mcp-servers", Text: "MCP servers"}, {Path: h.path, Text: h.title}}, State: nameEnabledState(v.Enabled),
	}
	if v.Source == "file" {
		p.add(part{"note", "This virtual server is defined in the configuration file, and can be changed only there."})
	}
	p.add(part{"facts", []fact{{"Source", newSourcePart(v.Source)}, {"Clients reach it at", newCodePart("/mcp/" + v.Name)}}})
	rows := list[store.VirtualMember]{First: true, Rows: v.Servers}
	p.add(part{"heading", "Servers"}, part{"table", newTable(r, []column[store.VirtualMember]{
		{"Server", "break", func(_ *request, m store.VirtualMember) part { return newLinkPart(buildServerPath(m.Server), m.Server) }},
		{"Tools", "break", func(_ *request, m store.VirtualMember) part { return newTextPart(formatAllowed(m.Tools)) }},
	}, rows, func(m store.VirtualMember) string { return m.Server }, "")})
	if r.who.Can(h.write) && v.Source != "file" {
		initial := newForm("servers", joinWords(listMemberNames(v)))
		initial.setChecked("enabled", v.Enabled)
		view := formView{
			ID: "settings", Heading: "Settings", Action: buildVirtualPath(v.Name), Anchor: "settings", Button: "Save virtual server", Plain: true,
			Tag: admin.ComputeTag(v),
		}
		p.add(r.newFormPart(
			view, initial, newMembersField(), newCheckbox("enabled", "Enabled", "hint=Calls to a disabled virtual server are refused."),
		),
			h.newTypedDeletion(r, v.Name, v.Name, "Delete virtual server…", "Calls to it are refused. Its servers stay. This cannot be undone."))
	}
	return r.show("record", v.Name, p)
}

func (h *virtualPages) save(r *request, name string, f *Form) error {
	before, err := r.service().VirtualServers().Get(r.ctx(), r.who, name)
	if err != nil {
		return err
	}
	enabled := f.isChecked("enabled")
	c, err := checkChange(f, admin.VirtualServerChange{Servers: readMembers(f, before.Servers), Enabled: &enabled})
	if err != nil {
		return err
	}
	_, err = r.service().VirtualServers().Update(r.ctx(), r.who, name, c, f.readTag())
	return r.finish(err, buildVirtualPath(name), "Virtual server saved.")
}
