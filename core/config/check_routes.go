package config

import (
	"fmt"
	"maps"
	"slices"
	"strings"
)

func (c *checker) checkProviders() {
	for _, name := range slices.Sorted(maps.Keys(c.cfg.Providers)) {
		p, path := c.cfg.Providers[name], joinPath("providers", name)
		c.checkID(path, name)
		if strings.EqualFold(name, "mcp") || strings.EqualFold(name, "a2a") {
			c.addWarning(path, "has the name that begins the names of tools or agents, so clients cannot ask for "+strings.ToLower(name)+"/… models",
				"choose another name")
		}
		if len(c.known.Providers) > 0 && !slices.Contains(c.known.Providers, p.Type) {
			where := path
			if c.isWritten(path + ".type") {
				where += ".type"
			}
			c.addProblem(
				where,
				c.quoteValue(where, p.Type)+" is not a known provider type: "+strings.Join(c.known.Providers, ", "),
				suggestType(p.Type, c.known.Providers),
			)
		}
		if p.BaseURL != "" {
			c.checkBaseURL(path+".base_url", p.BaseURL)
		}
		c.refuseForeignKeys(path, p)
		if p.HTTP2 && p.Transport == TransportLean {
			c.addProblem(path+".http2", "needs the transport http: the lean one speaks HTTP/1.1", "write transport: http")
		}
		for _, name := range slices.Sorted(maps.Keys(p.Headers)) {
			c.checkHeader(joinPath(path+".headers", name), name, p.Headers[name])
		}
		for _, name := range slices.Sorted(maps.Keys(p.Capabilities)) {
			if !slices.Contains(capabilityNames, name) {
				c.addProblem(joinPath(path+".capabilities", name), "unknown key", formatSuggestion(name, capabilityNames))
			}
		}
		c.checkTexts(path+".models", p.Models, "a model's name")
	}
}

// refuseForeignKeys refuses keys that another type of provider does not read.
func (c *checker) refuseForeignKeys(path string, p Provider) {
	typ := p.Type
	if typ == "azure" {
		typ = "azure-openai"
	}
	for _, k := range []struct{ key, typ, text string }{
		{"access_key_id", "bedrock", p.AccessKeyID.Reveal()},
		{"secret_access_key", "bedrock", p.SecretAccessKey.Reveal()},
		{"session_token", "bedrock", p.SessionToken.Reveal()},
		{"api_version", "azure-openai", p.APIVersion},
		{"responses_api_version", "azure-openai", p.ResponsesAPIVersion},
		{"entra", "azure-openai", string(p.Entra.Identity)},
		{"project", "vertex", p.Project},
		{"credentials_file", "vertex", p.CredentialsFile},
	} {
		if k.text != "" && typ != k.typ {
			c.addProblem(path+"."+k.key, "is read by the type "+k.typ+" alone", "remove it")
		}
	}
	if p.Region != "" && typ != "bedrock" && typ != "vertex" {
		c.addProblem(path+".region", "is read by the types bedrock and vertex alone", "remove it")
	}
	if p.Entra.Identity == "" && p.Entra != (Entra{}) {
		c.addProblem(path+".entra.identity", "is missing", "write client_secret, workload_identity or managed_identity")
	}
	if p.NoStore && typ != "openai" && typ != "azure-openai" {
		c.addProblem(path+".no_store", "is read by the types openai and azure-openai alone", "remove it")
	}
}

func suggestType(name string, known []string) string {
	if near := suggestWord(name, known); near != "" {
		return "write type: " + near
	}
	return "write type: " + known[0]
}

// checkHeader refuses values that would split a request, or misstate its framing.
func (c *checker) checkHeader(path, name string, text Secret) {
	if strings.ContainsFunc(name, func(r rune) bool {
		return r > '~' || !strings.ContainsRune("!#$%&'*+-.^_`|~", r) && !isAlnum(r)
	}) {
		c.addProblem(path, "is not the name of a header", "use letters, digits and dashes")
	}
	if strings.ContainsFunc(text.Reveal(), func(r rune) bool { return r < ' ' && r != '\t' || r == 0x7f }) {
		c.addProblem(path, "the value contains a line break or another control character", "write it in one line")
	}
	switch strings.ToLower(name) {
	case "host", "content-length", "transfer-encoding", "connection", "content-type", "accept-encoding", "te", "trailer", "upgrade":
		c.addProblem(path, "is a header that the gateway sets itself", "remove it")
	}
}

func isAlnum(r rune) bool {
	return 'a' <= r && r <= 'z' || 'A' <= r && r <= 'Z' || '0' <= r && r <= '9'
}

// checkTexts checks a list of names for empty and doubled entries.
func (c *checker) checkTexts(path string, list []string, what string) {
	seen := map[string]string{}
	for i, text := range list {
		here := appendIndex(path, i)
		if text == "" || strings.TrimSpace(text) != text {
			c.addProblem(here, "is not "+what, "write it without spaces around it")
			continue
		}
		c.checkUnique(seen, text, here, "the entry", "keep one of them")
	}
}

func (c *checker) checkRoutes() {
	if len(c.cfg.Providers) == 0 {
		c.addWarning("providers", "no providers, so no model can be served", "write providers: {mock: {}}")
	}
	seen := map[string]string{}
	for i, r := range c.cfg.Routes {
		path := appendIndex("routes", i)
		if r.ModelPattern != "" {
			c.checkUnique(seen, r.ModelPattern, path+".model_pattern", "the pattern", "put the providers into one route")
		}
		if c.isWritten(path+".providers") && len(r.Providers) == 0 {
			c.addProblem(path+".providers", "is empty", "write providers: [{provider: openai}]")
		}
		sum := 0
		for j, target := range r.Providers {
			here := appendIndex(path+".providers", j)
			sum += target.Weight
			if target.Provider != "" && !c.hasProvider(target.Provider) {
				c.addProblem(
					here+".provider",
					c.quoteValue(here+".provider", target.Provider)+" is not under providers",
					c.suggestProvider(here+".provider", target.Provider),
				)
			}
		}
		c.checkRegions(path, r)
		if r.Strategy == Weighted && len(r.Providers) > 0 && sum == 0 {
			c.addProblem(path+".providers", "all weights are 0, so no provider would be selected", "write weight: 1 on one of them")
		}
	}
}

// hasProvider reports a configured provider. azure is another name of azure-openai.
func (c *checker) hasProvider(name string) bool {
	_, ok := c.cfg.Providers[name]
	if !ok && name == "azure" {
		_, ok = c.cfg.Providers["azure-openai"]
	}
	return ok
}

func (c *checker) suggestProvider(path, name string) string {
	all := slices.Sorted(maps.Keys(c.cfg.Providers))
	if near := suggestWord(name, all); near != "" {
		return "write provider: " + near
	}
	if c.origins[path].from != "" || !identifier.MatchString(name) {
		return "write a name that stands under providers"
	}
	return fmt.Sprintf("write %s: {…} under providers", name)
}
