package importtool

import (
	"errors"
	"slices"
	"strings"
	"time"
)

// bifrostRules are Bifrost's settings outside providers, governance and mcp.
var bifrostRules = joinRules(
	[]rule{
		{path: "client.max_request_body_size_mb", outcome: Mapped, target: "server.max_body", take: importMebibytes},
		{
			path: "client.enable_local_cache", outcome: Changed, target: "chain[].stage: cache",
			why:  "the gateway's cache answers equal requests, not similar ones",
			take: importCache,
		},
		{path: "local_cache.ttl", outcome: Mapped, target: "chain[].config.ttl", take: importTTL},
		{
			path: "version", outcome: Changed, target: "tenants[].keys[].models", later: true,
			why: "1: lists of a key without entries allow all; 2: they allow nothing",
		},
		{path: "$schema", outcome: Unsupported, why: "the schema of the source; that of the gateway is configs/gateway.schema.json"},
	},
	listUnsupportedRules(whyOwnDB, "config_store", "logs_store", "framework", "client.log_retention_days", "source_of_truth"),
	listUnsupportedRules("similar requests are not answered from a cache; equal ones are", "vector_store", "local_cache"),
	listUnsupportedRules("the gateway records exchanges by rule, and never the texts: "+
		"docs/audit.md", "client.enable_logging", "client.disable_content_logging"),
	listUnsupportedRules("every request needs a key of the "+
		"gateway", "client.enforce_governance_header", "client.enforce_auth_on_inference", "client.allow_direct_keys"),
	listUnsupportedRules("administrators sign in to the console with accounts, SSO or SAML: docs/admin-auth.md",
		"auth_config", "governance.auth_config"),
	listUnsupportedRules("the gateway's connections need no pool of this kind", "client.initial_pool_size", "client.drop_excess_requests"),
	listUnsupportedRules("values are sealed with the key file of the gateway: docs/security.md", "encryption_key"),
	listUnsupportedRules("write rules in the gateway's own language: docs/policy.md", "governance.routing_rules"),
)

// bifrostKeyRules are the fields of one entry of providers.*.keys.
var bifrostKeyRules = joinRules(
	[]rule{
		{path: "value", outcome: Mapped, target: "providers.*.api_key", take: importAPIKey},
		{path: "weight", outcome: Mapped, target: "routes[].providers[].weight", take: importWeight},
		{path: "azure_key_config.endpoint", outcome: Mapped, target: "providers.*.base_url", take: importBaseURL},
		{
			path: "azure_key_config.api_version", outcome: Mapped, target: "providers.*.api_version",
			take: requireType("azure-openai", newTextImport(func(im *importer) *string { return &im.dep.p.APIVersion })),
		},
		{
			path: "bedrock_key_config.access_key", outcome: Mapped, target: "providers.*.access_key_id",
			take: requireType("bedrock", newSecretImport("AWS_ACCESS_KEY_ID", func(im *importer) *string { return &im.dep.p.AccessKeyID })),
		},
		{
			path: "bedrock_key_config.secret_key", outcome: Mapped, target: "providers.*.secret_access_key",
			take: requireType("bedrock", newSecretImport("AWS_SECRET_ACCESS_KEY", func(im *importer) *string { return &im.dep.p.SecretAccessKey })),
		},
		{
			path: "bedrock_key_config.session_token", outcome: Mapped, target: "providers.*.session_token",
			take: requireType("bedrock", newSecretImport("AWS_SESSION_TOKEN", func(im *importer) *string { return &im.dep.p.SessionToken })),
		},
		{
			path: "bedrock_key_config.region", outcome: Mapped, target: "providers.*.region",
			take: requireType("bedrock", newTextImport(findRegion)),
		},
		{
			path: "vertex_key_config.project_id", outcome: Mapped, target: "providers.*.project",
			take: requireType("vertex", newTextImport(func(im *importer) *string { return &im.dep.p.Project })),
		},
		{path: "vertex_key_config.region", outcome: Mapped, target: "providers.*.region", take: requireType("vertex", newTextImport(findRegion))},
		{
			path: "vertex_key_config.auth_credentials", outcome: Mapped, target: "providers.*.credentials_file",
			take: requireType("vertex", importCredentials),
		},
		{path: "ollama_key_config.url", outcome: Mapped, target: "providers.*.base_url", take: importBaseURL},
		{path: "vllm_key_config.url", outcome: Mapped, target: "providers.*.base_url", take: importBaseURL},
		{path: "models", outcome: Mapped, target: "routes[]", why: "a route for each model, or one pattern", later: true},
		{path: "azure_key_config.deployments.*", outcome: Mapped, target: "routes[].providers[].model_override", later: true},
	},
	listUnsupportedRules("a label of the key", "id", "name", "description"),
	listUnsupportedRules("batches go to the provider of their model", "use_for_batch_api"),
	listUnsupportedRules("a pattern cannot leave out single models: write a policy", "blacklisted_models"),
)

// bifrostProviderRules are the fields of one provider besides its keys.
var bifrostProviderRules = joinRules(
	[]rule{
		{path: "network_config.base_url", outcome: Mapped, target: "providers.*.base_url", take: importBaseURL},
		{path: "network_config.extra_headers", outcome: Mapped, target: "providers.*.headers", take: importProviderHeaders},
		{
			path: "network_config.default_request_timeout_in_seconds", outcome: Mapped, target: "providers.*.timeouts",
			why:  "of the first byte and of the whole call",
			take: newTimeoutImport(time.Second, func(im *importer, d time.Duration) { im.dep.p.Timeouts = buildTimeouts(d) }),
		},
		{
			path: "network_config.max_retries", outcome: Changed, target: "routing.retry.attempts",
			why:  "one rule for all providers: the highest number of the source",
			take: importMaxAttempts,
		},
		{path: "custom_provider_config.base_provider_type", outcome: Mapped, target: "providers.*.type"},
	},
	listUnsupportedRules("the gateway's back-off is one rule for all providers: "+
		"routing.retry", "network_config.retry_backoff_initial", "network_config.retry_backoff_max"),
	listUnsupportedRules("the gateway has no queue for each provider; routing.priority limits all together", "concurrency_and_buffer_size"),
	listUnsupportedRules("proxies: providers.*.transport: http with HTTPS_PROXY in the environment", "proxy_config"),
	listUnsupportedRules("the gateway never sends a provider's raw bytes beside an answer", "send_back_raw_request", "send_back_raw_response"),
)

// readBifrost reads Bifrost's config.json.
func (im *importer) readBifrost(root *node) error {
	im.prefix = "env."
	if root.get("providers") == nil && root.get("client") == nil && root.get("governance") == nil && root.get("mcp") == nil &&
		root.get("config_store") == nil && root.get("plugins") == nil {
		return errors.New("the file is not a configuration of Bifrost: it has no providers, client, governance, mcp, plugins or config_store")
	}
	im.apply(root, bifrostRules)
	for _, p := range root.find("providers.*") {
		im.readBifrostProvider(p)
	}
	im.buildRoutes()
	im.readGovernance(root)
	for _, c := range root.find("mcp.client_configs[]") {
		im.readBifrostServer(c)
	}
	for _, p := range root.find("plugins[]") {
		im.readBifrostPlugin(p)
	}
	return nil
}

func (im *importer) readBifrostProvider(p *node) {
	base := p.key
	if t := p.findPath("custom_provider_config.base_provider_type"); t != nil {
		base = t.readString()
	}
	v, ok := vendors[base]
	if !ok {
		p.mark(Unsupported, "", "the gateway has no type for this provider; if it speaks OpenAI's API, write a custom "+
			"provider with base_provider_type openai, and import again")
		return
	}
	keys := p.find("keys[]")
	if len(keys) == 0 {
		keys = []*node{{kind: mapping}} // a provider without a credential
	}
	whole := false
	for _, k := range keys {
		im.dep = &deployment{vendor: makeUniqueName(map[string]bool{}, p.key), p: provider{Type: v.typ, BaseURL: v.url}}
		models := listModels(k)
		if len(models) == 0 && whole {
			k.mark(Unsupported, "", "a second key for all models: the gateway shares requests out among keys only for models "+
				"that are named; list them under models, and import again")
			continue
		}
		whole = whole || len(models) == 0
		for i := range bifrostProviderRules { // The rules are applied to each key; findings are kept of the first key only.
			r := &bifrostProviderRules[i]
			for _, n := range p.find(r.path) {
				im.applyRule(n, r)
			}
		}
		im.apply(k, bifrostKeyRules)
		im.completeCloud(im.dep, p.path)
		for leaf := range k.get("models").visitLeaves() {
			leaf.mark(Mapped, "routes[]", "")
		}
		im.addModels(p.key, k, models)
	}
}

// listModels returns the models that a key names, or none if it serves all.
func listModels(k *node) []string {
	var out []string
	for leaf := range k.get("models").visitLeaves() {
		if leaf.readString() == "*" {
			out = nil
			break
		}
		if leaf.readString() != "" {
			out = append(out, leaf.readString())
		}
	}
	if len(out) == 0 {
		for _, d := range k.find("azure_key_config.deployments.*") {
			out = append(out, d.key)
		}
	}
	return out
}

// addModels adds a deployment for each model of a key.
func (im *importer) addModels(name string, k *node, models []string) {
	if len(models) == 0 {
		models = []string{"*"}
	}
	for _, m := range models {
		d := *im.dep
		d.name, d.model = escapeVariables(name+"/"+m), escapeVariables(m)
		if to := k.findPath("azure_key_config.deployments"); to.get(m) != nil {
			d.model = im.importValue(to.get(m))
			to.get(m).mark(Mapped, "routes[].providers[].model_override", "")
		}
		im.deps = append(im.deps, &d)
	}
}

// readBifrostServer adds a server of tools.
func (im *importer) readBifrostServer(c *node) {
	address := c.get("connection_string")
	if address == nil {
		address = c.get("http_url")
	}
	why := "the gateway speaks streamable HTTP, not the older transport of two connections"
	kind, program := c.get("connection_type"), c.get("stdio_config")
	switch kind.readString() {
	case "http":
		why = im.addServer(c.get("name").readString(), address)
		kind.mark(Mapped, "mcp_servers.*", "streamable HTTP")
	case "stdio":
		if why = im.addProgram(program, c.get("name").readString(), nil); why != "" {
			break
		}
		kind.mark(Mapped, "mcp_servers.*.command", "")
		for _, env := range program.findOptional("envs[]") {
			if variableName.MatchString(env.readString()) {
				addHeader(&im.out.MCPServers[im.lastServer].Env, env.readString(), im.vars.formatReference(env.readString(), env.path))
				env.mark(Mapped, "mcp_servers.*.env", "")
			}
		}
	}
	if why != "" {
		c.mark(Unsupported, "", why)
		return
	}
	server := im.out.MCPServers[im.lastServer]
	c.get("name").mark(Mapped, "mcp_servers", "")
	if h := c.get("headers"); h != nil && h.kind == mapping {
		im.importHeaders(h, formatVariable(c.get("name").readString()), "mcp_servers.*.headers", &server.Headers)
	}
	im.allowTools(server, c.get("tools_to_execute"))
	c.get("tools_to_auto_execute").mark(Unsupported, "", "clients run tools; the gateway calls none on its own")
	c.mark(Unsupported, "", "the gateway's servers have no such setting: docs/agents.md")
}

func (im *importer) readBifrostPlugin(p *node) {
	name, on := p.get("name").readString(), p.get("enabled")
	switch {
	case on != nil && !on.isTrue():
		p.mark(Unsupported, "", "is turned off")
	case slices.Contains([]string{"semantic_cache", "semanticcache"}, name):
		im.ensureCacheLink()
		p.get("name").mark(Changed, "chain[].stage: cache", "the gateway's cache answers equal requests, not similar ones")
		on.mark(Changed, "chain[].stage: cache", "")
		p.mark(Unsupported, "", "the gateway's cache has no such setting")
	case strings.HasPrefix(name, "telemetry"), name == "prometheus":
		p.get("name").mark(Mapped, "server.metrics_listen", "metrics are on by default, at 127.0.0.1:9090")
		on.mark(Mapped, "server.metrics_listen", "")
	case name == "governance":
		p.get("name").mark(Mapped, "tenants[]", "keys, budgets and limits are always on")
		on.mark(Mapped, "tenants[]", "")
		p.findPath("config.is_vk_mandatory").mark(Mapped, "tenants[]", "every request needs a key of the gateway")
	case name == "otel":
		p.mark(Unsupported, "", "set OTEL_EXPORTER_OTLP_ENDPOINT, or write telemetry.traces.endpoint")
	default:
		p.mark(Unsupported, "", whyLog)
	}
}
