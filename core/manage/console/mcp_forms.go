package console

import (
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// newServerForm draws the form that adds a server.
func newServerForm(r *request) (part, error) {
	v := formView{ID: "new", Heading: "New MCP server", Action: "/mcp-servers", Anchor: "new", Button: "Add server", Autocomplete: "off"}
	return r.newFormPart(v, newForm(),
		newInput("name", "Name", "required", "placeholder=search", "hint=Clients reach it at /mcp/ and this name. It cannot be changed."),
		newInput("url", "URL", "required", "type=url", "placeholder=https://mcp.example.com/mcp"),
		newInput("authorization", "Authorization header", "type=password", "autocomplete=new-password",
			"hint=The server's credential. It is stored encrypted and never shown."),
		newInput("allowed_tools", "Allowed tools", "placeholder=find_*, get_page", "hint=Globs of names. Empty: all tools."),
		newInput("price_per_call", "Price per call in USD", "type=number", "min=0", "step=any")), nil
}

func createServer(r *request, f *Form) error {
	address, headers := f.readText("url"), map[string]string{}
	if v := f.readText("authorization"); v != "" {
		headers["Authorization"] = v
	}
	n, err := checkChange(f, admin.NewMCPServer{Name: f.readText("name"), MCPServerChange: admin.MCPServerChange{
		URL: &address, Headers: &headers, AllowedTools: readAllowed(f), PricePerCall: readCallPrice(f),
	}})
	if err != nil {
		return err
	}
	s, err := r.service().MCPServers().Create(r.ctx(), r.who, n)
	return r.finish(err, buildServerPath(s.Name), "MCP server added. Clients reach it within seconds.")
}

// addSettings adds the form that changes a stored server, and its deletion.
func (h *serverPages) addSettings(r *request, p *recordPage, s *admin.MCPServerSettings) {
	initial := newForm(
		"price_per_call", formatAmount(&s.PricePerCall), "allowed_tools", joinWords(s.AllowedTools), "pin", s.Pin, "trust", s.Trust,
	)
	initial.setChecked("enabled", s.Enabled)
	v := formView{
		ID: "settings", Heading: "Settings", Action: buildServerPath(s.Name), Anchor: "settings", Button: "Save server", Plain: true,
		Tag: admin.ComputeTag(*s),
	}
	p.add(r.newFormPart(v, initial,
		newInput("allowed_tools", "Allowed tools", "placeholder=find_*, get_page", "hint=Globs of names. Empty: all tools."),
		newChoice("pin", "Definitions", []Option{
			{Value: "first_use", Label: "Pin at first use"},
			{Value: "required", Label: "Pin, each needs an approval"},
			{Value: "off", Label: "Do not pin"},
		}),
		newChoice("trust", "Values behind placeholders", []Option{{Value: "keep", Label: "Do not send"}, {Value: "restore", Label: "Send"}}),
		newInput("price_per_call", "Price per call in USD", "type=number", "min=0", "step=any"),
		newCheckbox("enabled", "Enabled", "hint=Calls to a disabled server are refused.")))
	p.add(h.newTypedDeletion(r, s.Name, s.Name, "Delete server…",
		"Calls to it are refused, and its headers are deleted. This cannot be undone."))
}

func saveServer(r *request, name string, f *Form) error {
	enabled, pin, trust := f.isChecked("enabled"), f.readText("pin"), f.readText("trust")
	c, err := checkChange(f, admin.MCPServerChange{
		Enabled: &enabled, Pin: &pin, Trust: &trust, AllowedTools: readAllowed(f), PricePerCall: readCallPrice(f),
	})
	if err != nil {
		return err
	}
	_, err = r.service().MCPServers().Update(r.ctx(), r.who, name, c, f.readTag())
	return r.finish(err, buildServerPath(name), "MCP server saved.")
}

// readAllowed reads globs of tools. An empty field allows all tools.
func readAllowed(f *Form) *[]string {
	globs := f.readWords("allowed_tools")
	if len(globs) == 0 {
		globs = []string{"*"}
	}
	return &globs
}

// formatAllowed says which tools globs allow.
func formatAllowed(globs []string) string {
	if len(globs) == 0 {
		return "all"
	}
	return joinWords(globs)
}
