package importtool

import (
	"math/big"
	"strings"
	"time"
)

// modelRules are the fields of one entry of LiteLLM's model_list. name and model are read first, because the others depend on them.
var modelRules = joinRules(
	[]rule{
		{path: "litellm_params.api_key", outcome: Mapped, target: "providers.*.api_key", take: importAPIKey},
		{path: "litellm_params.api_base", outcome: Mapped, target: "providers.*.base_url", take: importBaseURL},
		{path: "litellm_params.base_url", outcome: Mapped, target: "providers.*.base_url", take: importBaseURL},
		{path: "litellm_params.aws_bedrock_runtime_endpoint", outcome: Mapped, target: "providers.*.base_url", take: importBaseURL},
		{
			path: "litellm_params.api_version", outcome: Mapped, target: "providers.*.api_version",
			take: requireType("azure-openai", newTextImport(func(im *importer) *string { return &im.dep.p.APIVersion })),
		},
		{path: "litellm_params.custom_llm_provider", outcome: Mapped, target: "providers.*.type"},
		{
			path: "litellm_params.aws_region_name", outcome: Mapped, target: "providers.*.region",
			take: requireType("bedrock", newTextImport(findRegion)),
		},
		{
			path: "litellm_params.aws_access_key_id", outcome: Mapped, target: "providers.*.access_key_id",
			take: requireType("bedrock", newSecretImport("AWS_ACCESS_KEY_ID", func(im *importer) *string { return &im.dep.p.AccessKeyID })),
		},
		{
			path: "litellm_params.aws_secret_access_key", outcome: Mapped, target: "providers.*.secret_access_key",
			take: requireType("bedrock", newSecretImport("AWS_SECRET_ACCESS_KEY", func(im *importer) *string { return &im.dep.p.SecretAccessKey })),
		},
		{
			path: "litellm_params.aws_session_token", outcome: Mapped, target: "providers.*.session_token",
			take: requireType("bedrock", newSecretImport("AWS_SESSION_TOKEN", func(im *importer) *string { return &im.dep.p.SessionToken })),
		},
		{
			path: "litellm_params.vertex_project", outcome: Mapped, target: "providers.*.project",
			take: requireType("vertex", newTextImport(func(im *importer) *string { return &im.dep.p.Project })),
		},
		{path: "litellm_params.vertex_location", outcome: Mapped, target: "providers.*.region", take: requireType("vertex",
			newTextImport(findRegion))},
		{
			path: "litellm_params.vertex_credentials", outcome: Mapped, target: "providers.*.credentials_file",
			take: requireType("vertex", importCredentials),
		},
		{
			path: "litellm_params.tenant_id", outcome: Mapped, target: "providers.*.entra.tenant_id",
			take: requireType("azure-openai", newTextImport(func(im *importer) *string { return &im.dep.ensureEntra().TenantID })),
		},
		{
			path: "litellm_params.client_id", outcome: Mapped, target: "providers.*.entra.client_id",
			take: requireType("azure-openai", newTextImport(func(im *importer) *string { return &im.dep.ensureEntra().ClientID })),
		},
		{
			path: "litellm_params.client_secret", outcome: Mapped, target: "providers.*.entra.client_secret",
			take: requireType("azure-openai", newSecretImport("AZURE_CLIENT_SECRET", func(im *importer) *string { return &im.dep.ensureEntra().ClientSecret })),
		},
		{path: "litellm_params.organization", outcome: Mapped, target: "providers.*.headers", take: requireType("openai", importOrganization)},
		{path: "litellm_params.extra_headers", outcome: Mapped, target: "providers.*.headers", take: importProviderHeaders},
		{path: "litellm_params.headers", outcome: Mapped, target: "providers.*.headers", take: importProviderHeaders},
		{
			path: "litellm_params.timeout", outcome: Mapped, target: "providers.*.timeouts",
			why:  "of the first byte and of the whole call",
			take: newTimeoutImport(time.Second, func(im *importer, d time.Duration) { im.dep.p.Timeouts = buildTimeouts(d) }),
		},
		{
			path: "litellm_params.request_timeout", outcome: Mapped, target: "providers.*.timeouts",
			why:  "of the first byte and of the whole call",
			take: newTimeoutImport(time.Second, func(im *importer, d time.Duration) { im.dep.p.Timeouts = buildTimeouts(d) }),
		},
		{path: "litellm_params.weight", outcome: Mapped, target: "routes[].providers[].weight", take: importWeight},
		{
			path: "litellm_params.order", outcome: Mapped, target: "routes[].providers",
			why:  "the order of the targets",
			take: newNumberImport(func(im *importer) *float64 { return &im.dep.order }),
		},
	},
	listRateRules("litellm_params.rpm", "litellm_params.tpm", "rpm", "tpm", "model_info.rpm", "model_info.tpm"),
	listPriceRules("litellm_params."), listPriceRules("model_info."),
	listUnsupportedRules("the gateway retries by one rule for all providers: routing.retry",
		"litellm_params.max_retries", "litellm_params.num_retries"),
	listUnsupportedRules("the gateway has one time limit for whole and streamed answers", "litellm_params.stream_timeout"),
	listUnsupportedRules("limits of concurrent calls of single targets; routing.priority.max_concurrent limits all "+
		"together", "litellm_params.max_parallel_requests"),
	listUnsupportedRules("the gateway signs in with access keys, a Bedrock API key, or the role that AWS gives to its process",
		"litellm_params.aws_role_name", "litellm_params.aws_session_name", "litellm_params.aws_profile_name",
		"litellm_params.aws_web_identity_token"),
	listUnsupportedRules("a token that expires; use entra", "litellm_params.azure_ad_token"),
	listUnsupportedRules("parameters of requests stay what the client writes; a policy or a plugin can change "+
		"them", "litellm_params.temperature", "litellm_params.max_tokens",
		"litellm_params.top_p", "litellm_params.stop", "litellm_params.seed", "litellm_params.response_format",
		"litellm_params.extra_body", "litellm_params.input_type"),
	listUnsupportedRules("choosing deployments by tags of requests; use policies with ROUTE", "litellm_params.tags", "litellm_params.region_name"),
	listUnsupportedRules("the gateway looks prices up by the provider's model name; write them under pricing", "model_info.base_model"),
	listUnsupportedRules("who may use a model is a matter of policies", "model_info.access_groups", "model_info.team_id"),
	listUnsupportedRules("the gateway tells the kind of a call by its path", "model_info.mode"),
	listUnsupportedRules("what a model can do is in the gateway's catalogue; providers.*.capabilities "+
		"overrides it", "model_info.supports_vision", "model_info.supports_function_calling",
		"model_info.supports_response_schema", "model_info.max_tokens", "model_info.max_input_tokens", "model_info.max_output_tokens"),
	listUnsupportedRules("a label of the deployment", "model_info.id", "model_info.description", "model_info.version"),
)

func joinRules(lists ...[]rule) (out []rule) {
	for _, l := range lists {
		out = append(out, l...)
	}
	return out
}

func findRegion(im *importer) *string { return &im.dep.p.Region }

func (d *deployment) ensureEntra() *entra {
	if d.p.Entra == nil {
		d.p.Entra = &entra{Identity: "client_secret"}
	}
	return d.p.Entra
}

// requireType refuses a field that another type of provider does not read.
func requireType(typ string, take func(*importer, *node) verdict) func(*importer, *node) verdict {
	return func(im *importer, n *node) verdict {
		if im.dep.p.Type != typ {
			return newRefusal("is read by providers of the type " + typ + " alone")
		}
		return take(im, n)
	}
}

func importAPIKey(im *importer, n *node) verdict {
	return newSecretImport(formatVariable(im.dep.vendor)+"_API_KEY", func(im *importer) *string { return &im.dep.p.APIKey })(im, n)
}

// importBaseURL reads an address. One that holds a credential is a secret.
func importBaseURL(im *importer, n *node) verdict {
	text := n.readString()
	if _, ok := im.findReference(text); ok {
		im.dep.p.BaseURL = im.importValue(n)
		return verdict{}
	}
	if !strings.HasPrefix(text, "http://") && !strings.HasPrefix(text, "https://") || strings.ContainsAny(text, " <>?#@") {
		return newRefusal("is not an address that the gateway can call: http or https, without a user, a query or a fragment")
	}
	im.dep.p.BaseURL = im.importValue(n)
	return verdict{}
}

func importCredentials(im *importer, n *node) verdict {
	if _, ok := im.findReference(n.readString()); ok {
		im.dep.p.CredentialsFile = im.importValue(n)
		return newChange("the variable must hold the path of a file, not the JSON itself")
	}
	if n.kind != scalar || strings.Contains(n.readString(), "{") {
		return newRefusal("the gateway reads credentials from a file: save them, and write credentials_file")
	}
	im.dep.p.CredentialsFile = im.importValue(n)
	return verdict{}
}

func importProviderHeaders(im *importer, n *node) verdict {
	im.importHeaders(n, formatVariable(im.dep.vendor), "providers.*.headers", &im.dep.p.Headers)
	return verdict{}
}

func importOrganization(im *importer, n *node) verdict {
	addHeader(&im.dep.p.Headers, "OpenAI-Organization", im.importValue(n))
	return verdict{}
}

// newNumberImport returns a rule's action that writes a number to the place that into returns.
func newNumberImport(into func(*importer) *float64) func(*importer, *node) verdict {
	return func(im *importer, n *node) verdict {
		f, ok := n.readNumber()
		if !ok {
			return newRefusal("is not a number")
		}
		*into(im) = f
		return verdict{}
	}
}

func importWeight(im *importer, n *node) verdict {
	im.dep.shares = append(im.dep.shares, n)
	return newNumberImport(func(im *importer) *float64 { return &im.dep.weight })(im, n)
}

// listRateRules are limits of deployments. LiteLLM's router shares requests out by them.
func listRateRules(paths ...string) []rule {
	out := make([]rule, len(paths))
	for i, p := range paths {
		out[i] = rule{
			path: p, outcome: Changed, target: "routes[].providers[].weight",
			why: "shares the requests of one name out among its deployments, as LiteLLM's router does; for a limit write a link stage: ratelimit",
			take: func(im *importer, n *node) verdict {
				f, ok := n.readNumber()
				if !ok {
					return newRefusal("is not a number")
				}
				if im.dep.rate == 0 {
					im.dep.rate = f
				}
				im.dep.shares = append(im.dep.shares, n)
				return verdict{}
			},
		}
	}
	return out
}

// listPriceRules returns the costs of a token below a path.
func listPriceRules(prefix string) []rule {
	var out []rule
	for _, p := range []struct{ field, kind, key string }{
		{"input_cost_per_token", "input", "inputPricePerMillion"},
		{"output_cost_per_token", "output", "outputPricePerMillion"},
		{"cache_read_input_token_cost", "cached", "cachedInputPricePerMillion"},
		{"cache_creation_input_token_cost", "write", "cacheWritePricePerMillion"},
	} {
		out = append(out, rule{
			path: prefix + p.field, outcome: Mapped, target: "pricing[]." + p.key, why: "of a million tokens",
			take: func(im *importer, n *node) verdict {
				usd, ok := parsePerMillion(n.readString())
				if !ok {
					return newRefusal("is not a price from 0 to 1 USD a token")
				}
				if im.dep.prices == nil {
					im.dep.prices = map[string]amount{}
				}
				im.dep.prices[p.kind] = usd
				return verdict{}
			},
		})
	}
	return out
}

// parsePerMillion returns a price of a million tokens, exactly, with at most ten decimal places.
func parsePerMillion(text string) (amount, bool) {
	if len(text) > 40 || strings.ContainsAny(text, "/xX_pP") {
		return "", false
	}
	if _, e, ok := strings.Cut(strings.ToLower(text), "e"); ok && len(e) > 3 {
		return "", false
	}
	r, ok := new(big.Rat).SetString(text)
	if !ok || r.Sign() < 0 || r.Cmp(big.NewRat(1, 1)) > 0 {
		return "", false
	}
	return amount(trimZeros(r.Mul(r, big.NewRat(1_000_000, 1)).FloatString(10))), true
}

func trimZeros(s string) string {
	if !strings.Contains(s, ".") {
		return s
	}
	return strings.TrimSuffix(strings.TrimRight(s, "0"), ".")
}
