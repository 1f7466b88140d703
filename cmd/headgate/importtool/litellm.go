package importtool

import (
	"errors"
	"strings"
)

// readLiteLLM reads the configuration of LiteLLM's proxy.
func (im *importer) readLiteLLM(root *node) error {
	im.prefix = "os.environ/"
	if root.get("model_list") == nil && root.get("litellm_settings") == nil && root.get("general_settings") == nil &&
		root.get("router_settings") == nil && root.get("guardrails") == nil && root.get("mcp_servers") == nil {
		return errors.New("the file is not a configuration of LiteLLM: it has no model_list, litellm_settings, " +
			"general_settings or router_settings")
	}
	im.apply(root, litellmRules)
	im.readBudget(root)
	credentials := map[string]*node{}
	for _, c := range root.find("credential_list[]") {
		credentials[c.get("credential_name").readString()] = c
	}
	for _, item := range root.find("model_list[]") {
		im.readDeployment(item, credentials)
	}
	im.buildRoutes()
	im.collectFallbacks(root)
	im.buildFallbacks()
	im.aliases = nil
	im.buildAliases(root)
	for _, g := range root.find("guardrails[]") {
		im.readGuardrail(g)
	}
	for _, s := range root.find("mcp_servers.*") {
		im.readServer(s)
	}
	return nil
}

// readDeployment reads an entry of model_list. One that the gateway cannot serve leaves nothing in the result.
func (im *importer) readDeployment(item *node, credentials map[string]*node) {
	params := item.get("litellm_params")
	name, model := item.get("model_name").readString(), params.get("model").readString()
	prefix, bare, known, named := splitModel(model, params.get("custom_llm_provider").readString())
	switch {
	case name == "" || model == "":
		item.mark(Unsupported, "", "the entry lacks model_name or litellm_params.model")
		return
	case !named:
		item.mark(Unsupported, "", "the model's name does not say which provider serves it: write provider/model in the "+
			"source, and import again")
		return
	case !known:
		item.mark(Unsupported, "", "the gateway has no type for the provider of this model; if it speaks OpenAI's API, "+
			"write it as openai/… with api_base, and import again")
		return
	}
	d := &deployment{name: escapeVariables(name), vendor: prefix, model: escapeVariables(bare), p: provider{
		Type:    vendors[prefix].typ,
		BaseURL: vendors[prefix].url,
	}}
	if strings.Contains(name, "*") != strings.Contains(model, "*") {
		item.mark(Unsupported, "", "a pattern on one side only: the gateway sends a model's name as the client writes it, or one fixed name")
		return
	}
	if strings.Contains(name, "*") && name != bare && name != prefix+"/"+bare && name != model {
		item.mark(Unsupported, "", "the gateway cannot replace the beginning of a model's name: use a pattern that equals the provider's prefix")
		return
	}
	im.dep = d
	im.apply(item, modelRules)
	if c := params.get("litellm_credential_name"); c != nil {
		im.readCredential(c, credentials[c.readString()])
	}
	im.complete(item, d)
	item.get("model_name").mark(Mapped, "routes[].model_pattern", "")
	params.get("model").mark(Mapped, "routes[].providers[]", "the provider, and its name for the model")
	im.deps = append(im.deps, d)
}

// readCredential reads the credential that a deployment names, by the rules of the deployment's own fields.
func (im *importer) readCredential(name, credential *node) {
	if credential == nil {
		name.mark(Unsupported, "", "no entry of credential_list has this name")
		return
	}
	name.mark(Mapped, "providers.*", "the values of the credential")
	values := credential.get("credential_values")
	// The same credential may serve several deployments: its fields are read again for each, and keep their first finding.
	for i := range modelRules {
		field, ok := strings.CutPrefix(modelRules[i].path, "litellm_params.")
		if n := values.get(field); ok && n != nil && modelRules[i].take != nil {
			v := modelRules[i].take(im, n)
			if v.outcome == "" {
				n.mark(modelRules[i].outcome, modelRules[i].target, modelRules[i].why)
			} else if v.outcome != Unsupported {
				n.mark(v.outcome, modelRules[i].target, v.why)
			}
		}
	}
	credential.get("credential_name").mark(Mapped, "providers", "")
	credential.get("credential_info").mark(Unsupported, "", "a description")
}

// completeCloud adds the variable by which Azure's address is known. AWS's own variables and roles the gateway reads itself.
func (im *importer) completeCloud(d *deployment, path string) {
	if d.p.Type == "azure-openai" && d.p.BaseURL == "" {
		d.p.BaseURL = im.vars.formatReference("AZURE_API_BASE", path)
	}
}

// complete adds what LiteLLM reads from its environment if a deployment does not say it.
func (im *importer) complete(item *node, d *deployment) {
	v := vendors[d.vendor]
	own := d.p.BaseURL != "" && d.p.BaseURL != v.url
	own = own && d.p.Type != "azure-openai"
	if d.p.APIKey == "" && d.p.Entra == nil && v.env != "" && !own && item.findPath("litellm_params.api_key") == nil {
		d.p.APIKey = im.vars.formatReference(v.env, item.path)
	}
	if d.p.Entra != nil {
		d.p.APIKey = ""
	}
	im.completeCloud(d, item.path)
	in, out := d.prices["input"], d.prices["output"]
	if len(d.prices) > 0 && (in == "" || out == "") {
		d.prices = nil
		for _, r := range joinRules(listPriceRules("litellm_params."), listPriceRules("model_info.")) {
			for _, n := range item.find(r.path) {
				*n.found = Finding{Path: n.path, Outcome: Unsupported, Why: "a price needs both input_cost_per_token and output_cost_per_token"}
			}
		}
	}
}
