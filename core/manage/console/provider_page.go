package console

import (
	"net/url"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// show answers with the page of a provider. tested is the outcome of a test call. Optional.
func (h *providerPages) show(r *request, tested *admin.ProviderTest) error {
	s := r.service().Providers()
	v, err := s.Get(r.ctx(), r.who, r.Param("name"))
	if err != nil {
		return err
	}
	st, err := s.GetStatus(r.ctx(), r.who, v.ID)
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: h.path, Text: h.title}}, State: nameEnabledState(v.Enabled)}
	writes := r.who.Can(h.write)
	if writes {
		p.Head = append(p.Head, part{"button", link{Path: buildProviderPath(v.ID) + "/test#main", Text: "Test provider"}})
	}
	if tested != nil {
		p.add(part{"provider-test", tested})
	}
	if isReadOnly(&v) {
		p.add(part{"note", "This provider is defined in the configuration file, and can be changed only there."})
	}
	status := newStatePart(st.Health)
	if !st.Serving {
		status = newTextPart("not serving: " + st.Problem)
	}
	p.add(part{"facts", []fact{
		{"Type", newTextPart(v.Type)},
		{"Status on this node", status},
		{"URL", newTextPart(nameOrDefault(v.BaseURL))},
		{"Region", newTextPart(dashIfEmpty(v.Region))},
		{"Capabilities", newTextPart(h.describeCapabilities(v.ID))},
		{"Reached without a route", newTextPart(map[bool]string{true: "yes, as " + v.ID + "/model", false: "no"}[v.Prefix])},
		{"Source", newSourcePart(v.Source)},
	}})
	p.add(part{"heading", "Keys"}, part{"table", h.newKeyTable(r, &v, &st)})
	if writes && !isReadOnly(&v) {
		h.addForms(r, p, &v)
	}
	if len(v.Models) > 0 {
		p.add(part{"provider-models", v.Models})
	}
	if writes && !isReadOnly(&v) {
		p.add(part{"button", link{Path: buildProviderPath(v.ID) + "/models", Text: "Fetch models"}})
		p.add(h.newTypedDeletion(r, v.ID, v.ID, "Delete provider…",
			"The gateways no longer call it, and its keys are deleted. This cannot be undone."))
	}
	return r.show("record", v.ID, p)
}

// credentialRow is a key of a provider with its state on this node.
type credentialRow struct {
	admin.ProviderCredential
	provider string
	state    admin.CredentialStatus
}

func (h *providerPages) newKeyTable(r *request, v *admin.Provider, st *admin.ProviderStatus) *table {
	rows := list[credentialRow]{First: true}
	for _, c := range v.Credentials {
		row := credentialRow{ProviderCredential: c, provider: v.ID}
		for _, s := range st.Credentials {
			if s.ID == c.ID {
				row.state = s
			}
		}
		rows.Rows = append(rows.Rows, row)
	}
	return newTable(r, []column[credentialRow]{
		{"Name", "break", func(_ *request, c credentialRow) part {
			if c.ID == "" {
				return newTextPart(c.Name)
			}
			return newLinkPart(buildProviderKeyPath(c.provider, c.ID), c.Name)
		}},
		{"Kind", "", func(_ *request, c credentialRow) part {
			return newTextPart(map[string]string{"api_key": "API key", "access_key": "access key"}[c.Kind])
		}},
		{"Weight", "num", func(_ *request, c credentialRow) part { return newTextPart(formatCount(c.Weight)) }},
		{"State", "", newCredentialState},
		{"Secret set", "", func(_ *request, c credentialRow) part { return newTimePart(c.RotatedAt) }},
	}, rows, nil, "There are no keys here.")
}

// newCredentialState draws whether calls use a key.
func newCredentialState(_ *request, c credentialRow) part {
	switch {
	case !c.Enabled:
		return newStatePart("Disabled")
	case c.state.RestsUntil != nil:
		why := newTextPart("status " + formatCount(c.state.Status) + ", until ")
		return part{"several", []part{newStatePart("Resting"), why, newTimePart(*c.state.RestsUntil)}}
	}
	return newStatePart("Enabled")
}

// addForms adds the forms that change a provider.
func (h *providerPages) addForms(r *request, p *recordPage, v *admin.Provider) {
	path := buildProviderPath(v.ID)
	keyFields := []field{
		newInput("name", "Name", "required", "hint=For people, such as the name of the account."),
		newInput("secret", "API key", "required", "type=password", "autocomplete=new-password", "hint=It is stored encrypted and never shown."),
		newInput("weight", "Weight", "type=number", "min=1", "max=10000", "placeholder=1",
			"hint=Its share of the calls, relative to the other keys."),
	}
	if v.Type == "bedrock" {
		keyFields = append(keyFields, newInput("access_key_id", "Access key id", "hint=If the key above is a secret access key."))
	}
	p.add(r.newFormPart(formView{
		ID: "new-key", Heading: "New key", Action: path + "/keys", Anchor: "new-key", Button: "Add key", Plain: true, Autocomplete: "off",
	}, newForm(), keyFields...))
	initial := newForm("base_url", v.BaseURL, "region", v.Region, "project", v.Project, "api_version", v.APIVersion, "models",
		joinWords(v.Models))
	initial.setChecked("enabled", v.Enabled)
	initial.setChecked("prefix", v.Prefix)
	p.add(r.newFormPart(formView{
		ID: "settings", Heading: "Settings", Action: path, Anchor: "settings", Button: "Save provider", Tag: admin.ComputeTag(*v),
	}, initial,
		newInput("base_url", "URL", "type=url", "hint=Empty: the vendor's own."),
		newInput("region", "Region", "hint=Of bedrock and vertex."), newInput("project", "Project", "hint=Of vertex."),
		newInput("api_version", "API version", "hint=Of azure-openai's older paths."),
		newTextarea("models", "Models", "mono", "hint=Names, separated by spaces or commas. Empty: those that Headgate knows."),
		newCheckbox("prefix", "Clients may ask for "+v.ID+"/model without a route"),
		newCheckbox("enabled", "Enabled", "hint=Routes skip a disabled provider.")))
	p.add(part{"paragraph-link", link{Path: "/routes", Text: "Create a route to it"}})
	p.add(r.newFormPart(formView{
		ID: "try", Heading: "Test a model", Action: path + "/test", Anchor: "main", Button: "Call model", Plain: true,
		Intro: part{"paragraph", "Asks a model for one token, with a key of your choice. The provider charges for it."},
	}, newForm(), newInput("model", "Model", "required", "mono"), newChoice("credential", "Key", listCredentialChoices(v))))
}

func listCredentialChoices(v *admin.Provider) []Option {
	all := newOptions("", "The first enabled one")
	for _, c := range v.Credentials {
		all = append(all, Option{Value: c.ID, Label: c.Name})
	}
	return all
}

// test calls the provider and shows its answer.
func (h *providerPages) test(r *request, f *Form) error {
	t, err := r.service().Providers().Test(r.ctx(), r.who, r.Param("name"), admin.ProviderTestRequest{
		Credential: f.readText("credential"), Model: f.readText("model"),
	})
	if err != nil {
		return err
	}
	return h.show(r, &t)
}

func (h *providerPages) fetchModels(r *request) error {
	name := r.Param("name")
	p, err := r.service().Providers().FetchModels(r.ctx(), r.who, name, "")
	return r.finish(err, buildProviderPath(name), formatPlural(len(p.Models), "model")+" fetched. Clients see them in the list of models within seconds.")
}

func (h *providerPages) addKey(r *request, f *Form) error {
	n := admin.NewCredential{Name: f.readText("name"), Secret: f.readText("secret"), AccessKeyID: f.readText("access_key_id")}
	if w := f.readOptionalNumber("weight"); w != nil {
		weight := int(*w)
		n.Weight = &weight
	}
	n, err := checkChange(f, n)
	if err != nil {
		return err
	}
	_, err = r.service().Providers().CreateCredential(r.ctx(), r.who, r.Param("name"), n, "")
	return r.finish(err, buildProviderPath(r.Param("name")), "Key added. Calls use it within seconds.")
}

// showKey answers with the page of a key of a provider.
func (h *providerPages) showKey(r *request) error {
	v, err := r.service().Providers().Get(r.ctx(), r.who, r.Param("name"))
	if err != nil {
		return err
	}
	for _, c := range v.Credentials {
		if c.ID == r.Param("key") && c.ID != "" {
			return h.showCredential(r, &v, &c)
		}
	}
	return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "There is no such key."}
}

func (h *providerPages) showCredential(r *request, v *admin.Provider, c *admin.ProviderCredential) error {
	p := &recordPage{
		Crumbs: []link{{Path: h.path, Text: h.title}, {Path: buildProviderPath(v.ID), Text: v.ID}},
		State:  nameEnabledState(c.Enabled),
	}
	path := buildProviderKeyPath(v.ID, c.ID)
	p.add(part{"facts", []fact{
		{"Id", newCopyPart(c.ID)},
		{"Weight", newTextPart(formatCount(c.Weight))},
		{"Created", newTimePart(c.CreatedAt)},
		{"Secret set", newTimePart(c.RotatedAt)},
	}})
	if r.who.Can(h.write) {
		p.Head = append(p.Head, part{"provider-test-key", map[string]string{"Path": buildProviderPath(v.ID) + "/test#main", "Key": c.ID}})
		secret := []field{newInput("secret", "New API key", "required", "type=password", "autocomplete=new-password")}
		if c.Kind == "access_key" {
			secret = append(secret, newInput("access_key_id", "Access key id", "required"))
		}
		p.add(r.newFormPart(formView{
			ID: "rotate", Heading: "Secret", Action: path + "/rotate", Anchor: "rotate", Button: "Rotate key", Autocomplete: "off",
			Intro: part{"paragraph", "Calls use the new secret within seconds. Revoke the old one at the provider afterwards."},
		}, newForm(), secret...))
		initial := newForm("name", c.Name, "weight", strconv.Itoa(c.Weight))
		initial.setChecked("enabled", c.Enabled)
		p.add(r.newFormPart(formView{
			ID: "settings", Heading: "Settings", Action: path, Anchor: "settings", Button: "Save key", Plain: true,
		}, initial,
			newInput("name", "Name", "required"), newInput("weight", "Weight", "required", "type=number", "min=1", "max=10000"),
			newCheckbox("enabled", "Enabled", "hint=Calls do not use a disabled key.")))
		p.add(newConfirmPart(confirmation{
			Opens: "Delete key…", Says: "Calls no longer use it. This cannot be undone.",
			Action: path + "/delete", Button: "Delete " + c.Name, Danger: true,
		}))
	}
	return r.show("record", c.Name, p)
}

func (h *providerPages) saveKey(r *request, f *Form) error {
	name, enabled, weight := f.readText("name"), f.isChecked("enabled"), int(f.readNumber("weight"))
	c, err := checkChange(f, admin.CredentialChange{Name: &name, Weight: &weight, Enabled: &enabled})
	if err != nil {
		return err
	}
	_, err = r.service().Providers().UpdateCredential(r.ctx(), r.who, r.Param("name"), r.Param("key"), c, "")
	return r.finish(err, buildProviderPath(r.Param("name")), "Key saved.")
}

func (h *providerPages) rotateKey(r *request, f *Form) error {
	c, err := checkChange(f, admin.CredentialRotation{Secret: f.readText("secret"), AccessKeyID: f.readText("access_key_id")})
	if err != nil {
		return err
	}
	_, err = r.service().Providers().RotateCredential(r.ctx(), r.who, r.Param("name"), r.Param("key"), c, "")
	return r.finish(err, buildProviderKeyPath(r.Param("name"), r.Param("key")), "Key rotated. Calls use the new secret within seconds.")
}

func (h *providerPages) deleteKey(r *request) error {
	_, err := r.service().Providers().DeleteCredential(r.ctx(), r.who, r.Param("name"), r.Param("key"), "")
	return r.finish(err, "/credentials/"+url.PathEscape(r.Param("name")), "Key deleted.")
}
