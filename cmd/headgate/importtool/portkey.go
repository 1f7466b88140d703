package importtool

import (
	"errors"
	"slices"
	"strings"
	"time"
)

const whyHook = "guardrails of Portkey's own service; docs/guardrails.md lists the gateway's, and a link guard: asks those of vendors"

// portkeyRules are the fields of a Portkey config outside its targets.
var portkeyRules = joinRules(
	[]rule{
		{path: "cache.mode", outcome: Mapped, target: "chain[].stage: cache", take: func(im *importer, n *node) verdict {
			im.ensureCacheLink()
			if n.readString() != "simple" {
				return newChange("the gateway's cache answers equal requests, not similar ones")
			}
			return verdict{}
		}},
		{path: "cache.max_age", outcome: Mapped, target: "chain[].config.ttl", take: importTTL},
		{path: "retry.attempts", outcome: Mapped, target: "routing.retry.attempts", why: "retries plus the first call", take: importAttempts},
		{
			path: "retry.on_status_codes", outcome: Changed, target: "routing.retry",
			why: "the gateway chooses by the kind of the failure: docs/routing.md",
		},
		{path: "retry.use_retry_after_header", outcome: Changed, target: "routing.retry.max_retry_after", why: "waits of up to 3 s by default"},
	},
)

// portkeyTargetRules are the fields of one target.
var portkeyTargetRules = joinRules(
	[]rule{
		{path: "api_key", outcome: Mapped, target: "providers.*.api_key", take: importAPIKey},
		{path: "custom_host", outcome: Mapped, target: "providers.*.base_url", take: importBaseURL},
		{
			path: "weight", outcome: Mapped, target: "routes[].providers[].weight",
			take: newNumberImport(func(im *importer) *float64 { return &im.dep.weight }),
		},
		{path: "override_params.model", outcome: Mapped, target: "routes[].providers[].model_override", later: true},
		{path: "provider", outcome: Mapped, target: "providers.*.type", later: true},
		{
			path: "virtual_key", outcome: Changed, target: "providers.*.api_key",
			why: "names a key that Portkey's service holds: put the provider's own key into the variable", later: true,
		},
		{
			path: "request_timeout", outcome: Mapped, target: "providers.*.timeouts",
			why:  "of the first byte and of the whole call",
			take: newTimeoutImport(time.Millisecond, func(im *importer, d time.Duration) { im.dep.p.Timeouts = buildTimeouts(d) }),
		},
		{
			path: "aws_access_key_id", outcome: Mapped, target: "providers.*.access_key_id",
			take: requireType("bedrock", newSecretImport("AWS_ACCESS_KEY_ID", func(im *importer) *string { return &im.dep.p.AccessKeyID })),
		},
		{
			path: "aws_secret_access_key", outcome: Mapped, target: "providers.*.secret_access_key",
			take: requireType("bedrock", newSecretImport("AWS_SECRET_ACCESS_KEY", func(im *importer) *string { return &im.dep.p.SecretAccessKey })),
		},
		{
			path: "aws_session_token", outcome: Mapped, target: "providers.*.session_token",
			take: requireType("bedrock", newSecretImport("AWS_SESSION_TOKEN", func(im *importer) *string { return &im.dep.p.SessionToken })),
		},
		{path: "aws_region", outcome: Mapped, target: "providers.*.region", take: requireType("bedrock", newTextImport(findRegion))},
		{
			path: "vertex_project_id", outcome: Mapped, target: "providers.*.project",
			take: requireType("vertex", newTextImport(func(im *importer) *string { return &im.dep.p.Project })),
		},
		{path: "vertex_region", outcome: Mapped, target: "providers.*.region", take: requireType("vertex", newTextImport(findRegion))},
		{path: "resource_name", outcome: Mapped, target: "providers.*.base_url", take: requireType("azure-openai", importResource)},
		{
			path: "api_version", outcome: Mapped, target: "providers.*.api_version",
			take: requireType("azure-openai", newTextImport(func(im *importer) *string { return &im.dep.p.APIVersion })),
		},
		{path: "openai_organization", outcome: Mapped, target: "providers.*.headers", take: requireType("openai", importOrganization)},
	},
	listUnsupportedRules("the gateway reads credentials from a file: save them, and write credentials_file", "vertex_service_account_json"),
	portkeyIgnored,
)

// portkeyIgnored are fields of targets and of lists of targets.
var portkeyIgnored = joinRules(
	listUnsupportedRules("parameters of requests stay what the client writes; a policy or a plugin can change them", "override_params"),
	listUnsupportedRules(whyHook, "input_guardrails", "output_guardrails", "before_request_hooks", "after_request_hooks"),
	listUnsupportedRules("the gateway falls back by the kind of the failure: docs/routing.md", "on_status_codes", "strategy.on_status_codes"),
	listUnsupportedRules("the gateway has one rule for all targets: routing.retry, and a link stage: cache", "retry", "cache"),
)

// portkeyRootRules are fields that all targets share.
var portkeyRootRules = []rule{
	{
		path: "request_timeout", outcome: Mapped, target: "providers.*.timeouts",
		why:  "of every target without its own",
		take: newTimeoutImport(time.Millisecond, func(im *importer, d time.Duration) { im.timeout = d }),
	},
}

// portkeyFields documents strategies.
var portkeyFields = []rule{
	{
		path: "strategy.mode", outcome: Mapped, target: "routes[].strategy", later: true,
		why: "loadbalance: weighted; fallback and single: in the order of the targets; conditional is unsupported",
	},
	{path: "targets[]", outcome: Mapped, target: "routes[].providers[]", later: true, why: "nested targets are joined to one list"},
}

// readPortkey reads a config object of Portkey's gateway. It applies to whatever model a client asks for.
func (im *importer) readPortkey(root *node) error {
	if root.get("config") != nil && root.get("config").kind == mapping {
		root.get("name").mark(Unsupported, "", "a label")
		root = root.get("config")
	}
	if !slices.ContainsFunc([]string{
		"targets", "provider", "virtual_key", "cache", "retry", "strategy", "request_timeout",
		"input_guardrails", "output_guardrails",
	},
		func(k string) bool { return root.get(k) != nil }) {
		return errors.New("the file is not a config of Portkey: it has no targets, provider, virtual_key, strategy, cache or retry")
	}
	im.apply(root, portkeyRules)
	if len(root.find("targets[]")) > 0 {
		im.apply(root, portkeyRootRules)
	}
	if s := root.findPath("strategy.mode"); s.readString() == "conditional" {
		root.get("strategy").mark(Unsupported, "", "conditions on requests: write policies with ROUTE")
		root.get("targets").mark(Unsupported, "", "chosen by conditions: write routes, and policies with ROUTE")
		return nil
	}
	im.readTargets(root, 1, root)
	im.nameProviders()
	if len(im.deps) == 0 {
		return nil
	}
	mode := root.findPath("strategy.mode")
	if mode.readString() != "loadbalance" {
		for i, d := range im.deps {
			d.order = float64(i + 1)
		}
	}
	r := &route{ModelPattern: "*"}
	weights := listWeights(im.deps)
	for i, d := range im.deps {
		t := &target{Provider: d.as, ModelOverride: d.model}
		if mode.readString() == "loadbalance" && len(im.deps) > 1 {
			t.Weight, r.Strategy = &weights[i], "weighted"
		}
		if !slices.ContainsFunc(r.Providers, t.equals) {
			r.Providers = append(r.Providers, t)
		}
	}
	im.out.Routes = append(im.out.Routes, r)
	return nil
}

// readTargets reads the targets below a value, or itself if it has none. share is its part of the requests.
func (im *importer) readTargets(n *node, share float64, root *node) {
	targets := n.find("targets[]")
	if len(targets) == 0 {
		im.readTarget(n, share, n == root)
		return
	}
	mode := n.findPath("strategy.mode")
	if n == root || mode.readString() == root.findPath("strategy.mode").readString() {
		mode.mark(Mapped, "routes[].strategy", "")
	} else {
		mode.mark(Changed, "routes[].providers[]", "routes have one list: the first of nested targets takes their share, "+
			"the others are tried after a failure")
	}
	n.get("strategy").mark(Unsupported, "", "the gateway falls back by the kind of the failure: docs/routing.md")
	n.get("weight").mark(Mapped, "routes[].providers[].weight", "")
	im.apply(n, portkeyIgnored)
	for i, t := range targets {
		part := 1.0
		if w, ok := t.get("weight").readNumber(); ok && t.get("weight") != nil {
			part = w
		}
		if mode.readString() != "loadbalance" {
			part = convertToFloat(i == 0)
		}
		im.readTargets(t, share*part, root)
	}
}

func convertToFloat(b bool) float64 {
	if b {
		return 1
	}
	return 0
}

func (im *importer) readTarget(t *node, share float64, whole bool) {
	name, virtual, model := t.get("provider"), t.get("virtual_key"), t.findPath("override_params.model")
	vendor, override := strings.TrimPrefix(name.readString(), "@"), model.readString()
	if slug, rest, ok := strings.Cut(strings.TrimPrefix(override, "@"), "/"); ok && strings.HasPrefix(override, "@") {
		vendor, override = slug, rest
	}
	if _, ok := vendors[vendor]; !ok {
		vendor = guessVendor(vendor + "-" + virtual.readString())
	}
	v, ok := vendors[vendor]
	if !ok {
		if !whole || name != nil || virtual != nil {
			t.mark(Unsupported, "", "the target does not say which provider it is, or the gateway has no type for it: write "+
				"provider in the source, and import again")
		}
		im.apply(t, portkeyIgnored)
		return
	}
	im.dep = &deployment{vendor: vendor, model: escapeVariables(override), p: provider{Type: v.typ, BaseURL: v.url}}
	model.mark(Mapped, "routes[].providers[].model_override", "")
	im.apply(t, portkeyTargetRules)
	im.dep.weight = share
	name.mark(Mapped, "providers.*.type", "")
	if !virtual.isEmpty() {
		im.dep.p.APIKey = im.vars.formatReference(formatVariable(vendor)+"_API_KEY", virtual.path)
		virtual.mark(Changed, "providers.*.api_key", "names a key that Portkey's service holds: put the provider's own key into the variable")
	}
	im.completeCloud(im.dep, t.path)
	im.deps = append(im.deps, im.dep)
}

// guessVendor finds the name of a vendor in that of a virtual key, such as openai-virtual-key.
func guessVendor(slug string) string {
	flat := strings.NewReplacer("-", "", "_", "").Replace(strings.ToLower(slug))
	for _, v := range []string{
		"azure", "openrouter", "openai", "anthropic", "bedrock", "vertex", "gemini", "google", "mistral", "cohere", "groq",
		"deepseek", "together_ai",
		"fireworks", "perplexity", "ollama", "xai",
	} {
		if strings.Contains(flat, strings.ReplaceAll(v, "_", "")) {
			return v
		}
	}
	return ""
}

func importResource(im *importer, n *node) verdict {
	im.dep.p.BaseURL = "https://" + im.importValue(n) + ".openai.azure.com"
	return verdict{}
}
