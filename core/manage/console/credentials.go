package console

import (
	"net/http"
	"net/url"
	"strings"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Provider is a configured provider as the gateway sees it.
type Provider struct {
	Name, Type, Health string
	URL                string // "" for the default address of its type
	Key                string // set, missing, or not needed
	Capabilities       route.Capabilities
}

// providerPages serve the providers and their credentials.
type providerPages struct {
	*resource[admin.Provider]
	running func() []Provider
}

// newProviderPages declares the pages of providers.
func newProviderPages(running func() []Provider) *providerPages {
	h := &providerPages{running: running}
	h.resource = &resource[admin.Provider]{
		path: "/credentials", param: "name", title: "Providers", read: auth.ProvidersRead, write: auth.ProvidersWrite,
		intro: "Where the gateway sends calls, and with which keys. Keys are stored encrypted and never shown. A change takes effect within " +
			"seconds on every node, without a restart.",
		empty: "There are no providers. Add one below, or write it under providers in the configuration file.",
		live:  10, key: func(p admin.Provider) string { return p.ID },
		columns: []column[admin.Provider]{
			{"Provider", "break", func(_ *request, p admin.Provider) part { return newLinkPart(buildProviderPath(p.ID), p.ID) }},
			{"Type", "", func(_ *request, p admin.Provider) part { return newTextPart(p.Type) }},
			{"Status", "", func(r *request, p admin.Provider) part { return h.newStatusPart(r, p) }},
			{"Keys", "", func(r *request, p admin.Provider) part { return newStatePart(h.describeKeys(p)) }},
			{"URL", "break", func(_ *request, p admin.Provider) part { return newTextPart(nameOrDefault(p.BaseURL)) }},
			{"Capabilities", "", func(_ *request, p admin.Provider) part { return newTextPart(h.describeCapabilities(p.ID)) }},
			{"Source", "", func(_ *request, p admin.Provider) part { return newSourcePart(p.Source) }},
		},
		list: func(r *request) (list[admin.Provider], error) {
			all, err := r.service().Providers().List(r.ctx(), r.who, r.readWindow())
			return readPage(r, all, err)
		},
		form: h.newForm, create: h.createProvider,
		page:   func(r *request) error { return h.show(r, nil) },
		update: h.save,
		name:   nameByID,
		remove: func(r *request, name string) error { return r.service().Providers().Delete(r.ctx(), r.who, name, "") },
		told:   "Provider deleted, with its keys.",
	}
	return h
}

// mount mounts the pages.
func (h *providerPages) mount(c *Console) {
	h.resource.mount(c)
	c.mountGet("/providers", "", func(r *request) error {
		r.Redirect(http.StatusFound, "/credentials")
		return nil
	})
	const one = "/credentials/:name"
	c.mountPost(one+"/test", auth.ProvidersWrite, handleForm(h.test, h.page))
	c.mountPost(one+"/models", auth.ProvidersWrite, h.fetchModels)
	c.mountPost(one+"/keys", auth.ProvidersWrite, handleForm(h.addKey, h.page))
	key := one + "/keys/:key"
	c.mountGet(key, auth.ProvidersRead, h.showKey)
	c.mountPost(key, auth.ProvidersWrite, handleForm(h.saveKey, h.showKey))
	c.mountPost(key+"/rotate", auth.ProvidersWrite, handleForm(h.rotateKey, h.showKey))
	c.mountPost(key+"/delete", auth.ProvidersWrite, h.deleteKey)
}

func buildProviderPath(name string) string { return "/credentials/" + url.PathEscape(name) }

func buildProviderKeyPath(name, id string) string {
	return buildProviderPath(name) + "/keys/" + url.PathEscape(id)
}

func nameOrDefault(text string) string {
	if text == "" {
		return "default"
	}
	return text
}

// newStatusPart draws whether the gateway of this node can call a provider.
func (h *providerPages) newStatusPart(r *request, p admin.Provider) part {
	st, err := r.service().Providers().GetStatus(r.ctx(), r.who, p.ID)
	switch {
	case err != nil || !p.Enabled:
		return newStatePart("Disabled")
	case !st.Serving:
		return part{"several", []part{newStatePart("Not serving"), newTextPart(st.Problem)}}
	}
	return newStatePart(st.Health)
}

// describeKeys returns whether a provider has keys.
func (h *providerPages) describeKeys(p admin.Provider) string {
	usable := 0
	for _, c := range p.Credentials {
		if c.Enabled {
			usable++
		}
	}
	switch {
	case usable > 1:
		return formatPlural(usable, "key")
	case usable == 1:
		return "set"
	}
	for _, running := range h.running() {
		if running.Name == p.ID {
			return running.Key
		}
	}
	return "missing"
}

// describeCapabilities returns what the models of a provider can do, as words.
func (h *providerPages) describeCapabilities(name string) string {
	for _, p := range h.running() {
		if p.Name != name {
			continue
		}
		var words []string
		for _, c := range []struct {
			can  bool
			word string
		}{
			{p.Capabilities.Streaming, "streaming"},
			{p.Capabilities.Vision, "images"},
			{p.Capabilities.ToolCalls, "tools"},
			{p.Capabilities.StructuredOutputs, "schemas"},
			{p.Capabilities.JSONMode, "JSON"},
		} {
			if c.can {
				words = append(words, c.word)
			}
		}
		return strings.Join(words, ", ")
	}
	return "–"
}

// newForm draws the form that adds a provider.
func (h *providerPages) newForm(r *request) (part, error) {
	var types []string
	for _, t := range r.service().Providers().Types() {
		types = append(types, t, t)
	}
	v := formView{ID: "new", Heading: "New provider", Action: h.path, Anchor: "new", Button: "Add provider", Autocomplete: "off"}
	return r.newFormPart(v, newForm("type", "openai", "prefix", "on"),
		newChoice("type", "Type", newOptions(types...)),
		newInput("id", "Name", "required", "placeholder=openai", "pattern=[a-z0-9][a-z0-9_.\\-]*", "hint=Routes use it. It cannot be changed."),
		newInput("secret", "API key", "type=password", "autocomplete=new-password", "hint=It is stored encrypted and never shown."),
		newInput("base_url", "URL", "type=url", "placeholder=https://…", "hint=Only if it is not the vendor's own."),
		newInput("region", "Region", "hint=Of bedrock and vertex."),
		newInput("project", "Project", "hint=Of vertex."),
		newInput("access_key_id", "Access key id", "hint=Of bedrock, if the key above is a secret access key."),
		newCheckbox("prefix", "Clients may ask for provider/model without a route")), nil
}

// readFields reads the fields that a new provider and a changed one have in common.
func (h *providerPages) readFields(f *Form) admin.ProviderChange {
	text := func(name string) *string {
		v := f.readText(name)
		return &v
	}
	prefix := f.isChecked("prefix")
	return admin.ProviderChange{BaseURL: text("base_url"), Region: text("region"), Project: text("project"), Prefix: &prefix}
}

func (h *providerPages) createProvider(r *request, f *Form) error {
	n := admin.NewProvider{ID: f.readText("id"), Type: f.readText("type"), ProviderChange: h.readFields(f)}
	if secret := f.readText("secret"); secret != "" {
		n.Credential = &admin.NewCredential{Name: "key 1", Secret: secret, AccessKeyID: f.readText("access_key_id")}
	}
	n, err := checkChange(f, n)
	if err != nil {
		return err
	}
	p, err := r.service().Providers().Create(r.ctx(), r.who, n)
	return r.finish(err, buildProviderPath(p.ID), "Provider added. Test it here; the gateways call it within seconds.")
}

func (h *providerPages) save(r *request, name string, f *Form) error {
	c := h.readFields(f)
	models, version, enabled := f.readWords("models"), f.readText("api_version"), f.isChecked("enabled")
	c.Models, c.APIVersion, c.Enabled = &models, &version, &enabled
	c, err := checkChange(f, c)
	if err != nil {
		return err
	}
	_, err = r.service().Providers().Update(r.ctx(), r.who, name, c, f.readTag())
	return r.finish(err, buildProviderPath(name), "Provider saved. It takes effect within seconds.")
}

// isReadOnly reports whether only the configuration file can change a provider.
func isReadOnly(p *admin.Provider) bool { return p.Source != store.SourceAPI }
