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
	st, err := s.Status(r.ctx(), r.who, v.ID)
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: h.path, Text: h.title}}, State: enabledState(v.Enabled)}
	writes := r.who.Can(h.write)
	if writes {
		p.Head = append(p.Head, part{"button", link{Path: providerPath(v.ID) + "/test#main", Text: "Test provider"}})
	}
	if tested != nil {
		p.add(part{"provider-test", tested})
	}
	if isReadOnly(&v) {
		p.add(part{"note", "This provider is defined in the configuration file, and can be changed only there."})
	}
	status := statePart(st.Health)
	if !st.Serving {
		status = textPart("not serving: " + st.Problem)
	}
	p.add(part{"facts", []fact{
		{"Type", textPart(v.Type)},
		{"Status on this node", status},
		{"URL", textPart(nameOrDefault(v.BaseURL))},
		{"Region", textPart(dashIfEmpty(v.Region))},
		{"Capabilities", textPart(h.capabilities(v.ID))},
		{"Reached without a route", textPart(map[bool]string{true: "yes, as " + v.ID + "/model", false: "no"}[v.Prefix])},
		{"Source", sourcePart(v.Source)},
	}})
	p.add(part{"heading", "Keys"}, part{"table", h.keyTable(r, &v, &st)})
	if writes && !isReadOnly(&v) {
		h.addForms(r, p, &v)
	}
	if len(v.Models) > 0 {
		p.add(part{"provider-models", v.Models})
	}
	if writes && !isReadOnly(&v) {
		p.add(part{"button", link{Path: providerPath(v.ID) + "/models", Text: "Fetch models"}})
		p.add(h.deletion(v.ID, "Delete provider…", "The gateways no longer call it, and its keys are deleted. This cannot be undone.",
			"Delete "+v.ID))
	}
	return r.show("record", v.ID, p)
}

// credentialRow is a key of a provider with its state on this node.
type credentialRow struct {
	admin.ProviderCredential
	provider string
	state    admin.CredentialStatus
}

func (h *providerPages) keyTable(r *request, v *admin.Provider, st *admin.ProviderStatus) *table {
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
				return textPart(c.Name)
			}
			return linkPart(providerKeyPath(c.provider, c.ID), c.Name)
		}},
		{"Kind", "", func(_ *request, c credentialRow) part {
			return textPart(map[string]string{"api_key": "API key", "access_key": "access key"}[c.Kind])
		}},
		{"Weight", "num", func(_ *request, c credentialRow) part { return textPart(count(c.Weight)) }},
		{"State", "", credentialState},
		{"Secret set", "", func(_ *request, c credentialRow) part { return timePart(c.RotatedAt) }},
	}, rows, nil, "There are no keys here.")
}

// credentialState draws whether calls use a key.
func credentialState(_ *request, c credentialRow) part {
	switch {
	case !c.Enabled:
		return statePart("Disabled")
	case c.state.RestsUntil != nil:
		why := textPart("status " + count(c.state.Status) + ", until ")
		return part{"several", []part{statePart("Resting"), why, timePart(*c.state.RestsUntil)}}
	}
	return statePart("Enabled")
}

// addForms adds the forms that change a provider.
func (h *providerPages) addForms(r *request, p *recordPage, v *admin.Provider) {
	path := providerPath(v.ID)
	keyFields := []field{
		input("name", "Name", "required", "hint=For people, such as the name of the account."),
		input("secret", "API key", "required", "type=password", "autocomplete=new-password", "hint=It is stored encrypted and never shown."),
		input("weight", "Weight", "type=number", "min=1", "max=10000", "placeholder=1",
			"hint=Its share of the calls, relative to the other keys."),
	}
	if v.Type == "bedrock" {
		keyFields = append(keyFields, input("access_key_id", "Access key id", "hint=If the key above is a secret access key."))
	}
	p.add(r.formPart(formView{
		ID: "new-key", Heading: "New key", Action: path + "/keys", Anchor: "new-key", Button: "Add key", Plain: true, Autocomplete: "off",
	}, newForm(), keyFields...))
	initial := newForm("base_url", v.BaseURL, "region", v.Region, "project", v.Project, "api_version", v.APIVersion, "models",
		joinWords(v.Models))
	initial.setChecked("enabled", v.Enabled)
	initial.setChecked("prefix", v.Prefix)
	p.add(r.formPart(formView{
		ID: "settings", Heading: "Settings", Action: path, Anchor: "settings", Button: "Save provider", Tag: admin.Tag(*v),
	}, initial,
		input("base_url", "URL", "type=url", "hint=Empty: the vendor's own."),
		input("region", "Region", "hint=Of bedrock and vertex."), input("project", "Project", "hint=Of vertex."),
		input("api_version", "API version", "hint=Of azure-openai's older paths."),
		textarea("models", "Models", "mono", "hint=Names, separated by spaces or commas. Empty: those that Headgate knows."),
		checkbox("prefix", "Clients may ask for "+v.ID+"/model without a route"),
		checkbox("enabled", "Enabled", "hint=Routes skip a disabled provider.")))
	p.add(part{"paragraph-link", link{Path: "/routes", Text: "Create a route to it"}})
	p.add(r.formPart(formView{
		ID: "try", Heading: "Test a model", Action: path + "/test", Anchor: "main", Button: "Call model", Plain: true,
		Intro: part{"paragraph", "Asks a model for one token, with a key of your choice. The provider charges for it."},
	}, newForm(), input("model", "Model", "required", "mono"), choice("credential", "Key", credentialChoices(v))))
}

func credentialChoices(v *admin.Provider) []Option {
	all := options("", "The first enabled one")
	for _, c := range v.Credentials {
		all = append(all, Option{Value: c.ID, Label: c.Name})
	}
	return all
}

// test calls the provider and shows its answer.
func (h *providerPages) test(r *request, f *Form) error {
	t, err := r.service().Providers().Test(r.ctx(), r.who, r.Param("name"), admin.ProviderTestRequest{
		Credential: f.text("credential"), Model: f.text("model"),
	})
	if err != nil {
		return err
	}
	return h.show(r, &t)
}

func (h *providerPages) fetchModels(r *request) error {
	name := r.Param("name")
	p, err := r.service().Providers().FetchModels(r.ctx(), r.who, name, "")
	return r.finish(err, providerPath(name), plural(len(p.Models), "model")+" fetched. Clients see them in the list of models within seconds.")
}

func (h *providerPages) addKey(r *request, f *Form) error {
	n := admin.NewCredential{Name: f.text("name"), Secret: f.text("secret"), AccessKeyID: f.text("access_key_id")}
	if w := f.optionalNumber("weight"); w != nil {
		weight := int(*w)
		n.Weight = &weight
	}
	n, err := checkChange(f, n)
	if err != nil {
		return err
	}
	_, err = r.service().Providers().CreateCredential(r.ctx(), r.who, r.Param("name"), n, "")
	return r.finish(err, providerPath(r.Param("name")), "Key added. Calls use it within seconds.")
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
	p := &recordPage{Crumbs: []link{{Path: h.path, Text: h.title}, {Path: providerPath(v.ID), Text: v.ID}}, State: enabledState(c.Enabled)}
	path := providerKeyPath(v.ID, c.ID)
	p.add(part{"facts", []fact{
		{"Id", drawCopied(c.ID)},
		{"Weight", textPart(count(c.Weight))},
		{"Created", timePart(c.CreatedAt)},
		{"Secret set", timePart(c.RotatedAt)},
	}})
	if r.who.Can(h.write) {
		p.Head = append(p.Head, part{"provider-test-key", map[string]string{"Path": providerPath(v.ID) + "/test#main", "Key": c.ID}})
		secret := []field{input("secret", "New API key", "required", "type=password", "autocomplete=new-password")}
		if c.Kind == "access_key" {
			secret = append(secret, input("access_key_id", "Access key id", "required"))
		}
		p.add(r.formPart(formView{
			ID: "rotate", Heading: "Secret", Action: path + "/rotate", Anchor: "rotate", Button: "Rotate key", Autocomplete: "off",
			Intro: part{"paragraph", "Calls use the new secret within seconds. Revoke the old one at the provider afterwards."},
		}, newForm(), secret...))
		initial := newForm("name", c.Name, "weight", strconv.Itoa(c.Weight))
		initial.setChecked("enabled", c.Enabled)
		p.add(r.formPart(formView{
			ID: "settings", Heading: "Settings", Action: path, Anchor: "settings", Button: "Save key", Plain: true,
		}, initial,
			input("name", "Name", "required"), input("weight", "Weight", "required", "type=number", "min=1", "max=10000"),
			checkbox("enabled", "Enabled", "hint=Calls do not use a disabled key.")))
		p.add(confirmPart(confirmation{
			Opens: "Delete key…", Says: "Calls no longer use it. This cannot be undone.",
			Action: path + "/delete", Button: "Delete " + c.Name, Danger: true,
		}))
	}
	return r.show("record", c.Name, p)
}

func (h *providerPages) saveKey(r *request, f *Form) error {
	name, enabled, weight := f.text("name"), f.isChecked("enabled"), int(f.number("weight"))
	c, err := checkChange(f, admin.CredentialChange{Name: &name, Weight: &weight, Enabled: &enabled})
	if err != nil {
		return err
	}
	_, err = r.service().Providers().UpdateCredential(r.ctx(), r.who, r.Param("name"), r.Param("key"), c, "")
	return r.finish(err, providerPath(r.Param("name")), "Key saved.")
}

func (h *providerPages) rotateKey(r *request, f *Form) error {
	c, err := checkChange(f, admin.CredentialRotation{Secret: f.text("secret"), AccessKeyID: f.text("access_key_id")})
	if err != nil {
		return err
	}
	_, err = r.service().Providers().RotateCredential(r.ctx(), r.who, r.Param("name"), r.Param("key"), c, "")
	return r.finish(err, providerKeyPath(r.Param("name"), r.Param("key")), "Key rotated. Calls use the new secret within seconds.")
}

func (h *providerPages) deleteKey(r *request) error {
	_, err := r.service().Providers().DeleteCredential(r.ctx(), r.who, r.Param("name"), r.Param("key"), "")
	return r.finish(err, "/credentials/"+url.PathEscape(r.Param("name")), "Key deleted.")
}
