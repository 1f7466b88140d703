package importtool

import (
	"net/netip"
	"net/url"
	"strings"
)

// guards are the guardrails of LiteLLM that the gateway asks in the same wire form.
var guards = map[string]struct {
	guard, env string // env: the variable of the key, if the source names none
	keyed      bool
}{
	"presidio":               {guard: "presidio"},
	"bedrock":                {guard: "bedrock_guardrail", env: "AWS_BEARER_TOKEN_BEDROCK", keyed: true},
	"lakera":                 {guard: "lakera", env: "LAKERA_API_KEY", keyed: true},
	"lakera_v2":              {guard: "lakera", env: "LAKERA_API_KEY", keyed: true},
	"azure/prompt_shield":    {guard: "azure_prompt_shields", env: "AZURE_CONTENT_SAFETY_API_KEY", keyed: true},
	"azure/text_moderations": {guard: "azure_text_analysis", env: "AZURE_CONTENT_SAFETY_API_KEY", keyed: true},
	"openai_moderation":      {guard: "moderations", env: "OPENAI_API_KEY", keyed: true},
}

// guardFields documents what readGuardrail does.
var guardFields = []rule{
	{path: "guardrails[].guardrail_name", outcome: Mapped, target: "chain[].name", later: true},
	{
		path: "guardrails[].litellm_params.guardrail", outcome: Mapped, target: "chain[].guard", later: true,
		why: "presidio, bedrock, lakera, lakera_v2, azure/prompt_shield, azure/text_moderations, openai_moderation; " +
			"hide-secrets becomes the stage guardrail",
	},
	{path: "guardrails[].litellm_params.mode", outcome: Mapped, target: "chain[].phases", later: true},
	{
		path: "guardrails[].litellm_params.default_on", outcome: Mapped, target: "chain[].mode", later: true,
		why: "without it, clients choose guards; the gateway runs the link in shadow mode",
	},
	{path: "guardrails[].litellm_params.api_key", outcome: Mapped, target: "chain[].secret", later: true},
	{path: "guardrails[].litellm_params.api_base", outcome: Mapped, target: "chain[].config.url", later: true},
	{
		path: "guardrails[].litellm_params.guardrailIdentifier", outcome: Mapped, target: "chain[].config.url", later: true,
		why: "with guardrailVersion and aws_region_name",
	},
}

// readGuardrail adds a link for a guardrail.
func (im *importer) readGuardrail(g *node) {
	params := g.get("litellm_params")
	name, kind := g.get("guardrail_name"), params.get("guardrail")
	if kind.readString() == "hide-secrets" {
		kind.mark(Changed, "chain[].stage: guardrail", "the detector secrets, with the action redact")
		im.addGuard(g, params, name, &link{Stage: "guardrail", Config: map[string]any{
			"detectors": []any{map[string]any{"type": "secrets", "action": "redact"}},
		}})
		return
	}
	known, ok := guards[kind.readString()]
	if !ok {
		g.mark(Unsupported, "", "the gateway has no guard of this kind: docs/vendor-guards.md lists those that it has; a "+
			"webhook or plugin can ask others")
		return
	}
	l := &link{Guard: known.guard, AllowRaw: true, Config: map[string]any{}}
	if known.keyed {
		l.Secret = im.vars.formatReference(known.env, g.path)
	}
	if key := params.get("api_key"); !key.isEmpty() {
		text, moved := im.importSecret(key, "GUARD_API_KEY")
		l.Secret = text
		if moved {
			key.mark(Changed, "chain[].secret", whyMoved)
		} else {
			key.mark(Mapped, "chain[].secret", "")
		}
	}
	if why := im.setGuardURL(params, known.guard, l); why != "" {
		g.mark(Unsupported, "", why)
		return
	}
	kind.mark(Mapped, "chain[].guard", "the vendor's own wire form; texts are sent as they are (allow_raw)")
	im.addGuard(g, params, name, l)
}

// setGuardURL sets the address of a guard, or returns why the guard has no address.
func (im *importer) setGuardURL(params *node, guard string, l *link) string {
	base := params.get("api_base")
	switch guard {
	case "lakera", "moderations":
		base.mark(Unsupported, "", "the gateway calls the vendor's own address")
	case "bedrock_guardrail":
		id, version, region := params.get("guardrailIdentifier"), params.get("guardrailVersion"), params.get("aws_region_name")
		if id.isEmpty() || version.isEmpty() {
			return "guardrailIdentifier or guardrailVersion is missing"
		}
		at := im.vars.formatReference("AWS_REGION", id.path)
		if region != nil {
			at = im.importValue(region)
		}
		l.Config["url"] = "https://bedrock-runtime." + at + ".amazonaws.com/guardrail/" + im.importValue(id) + "/version/" +
			im.importValue(version) + "/apply"
		for _, n := range []*node{id, version, region} {
			n.mark(Changed, "chain[].config.url", "asked with an API key of Bedrock's (AWS_BEARER_TOKEN_BEDROCK), not with access keys")
		}
	case "presidio":
		analyzer := params.get("presidio_analyzer_api_base")
		l.AllowPrivate = true
		l.Config["url"] = im.vars.formatReference("PRESIDIO_ANALYZER_API_BASE", params.path) + "/analyze"
		if !analyzer.isEmpty() {
			l.Config["url"] = strings.TrimRight(im.importValue(analyzer), "/") + "/analyze"
		}
		analyzer.mark(Mapped, "chain[].config.url", "")
		params.get("presidio_anonymizer_api_base").mark(Unsupported, "", "the gateway replaces what the analyzer finds "+
			"itself, and restores it in answers")
	default:
		if base.isEmpty() {
			return "the address is missing: write api_base in the source, and import again"
		}
		path := map[string]string{
			"azure_prompt_shields": "/contentsafety/text:shieldPrompt?api-version=2024-09-01",
			"azure_text_analysis":  "/contentsafety/text:analyze?api-version=2024-09-01",
		}[guard]
		l.Config["url"] = strings.TrimRight(im.importValue(base), "/") + path
		l.AllowPrivate = isPrivate(base.readString())
		base.mark(Mapped, "chain[].config.url", "")
	}
	return ""
}

// addGuard adds a link with the name, phases and mode that the source says.
func (im *importer) addGuard(g, params, name *node, l *link) {
	taken := map[string]bool{}
	for _, have := range im.out.Chain {
		taken[have.Name] = true
	}
	l.Name = makeUniqueName(taken, name.readString())
	name.mark(Mapped, "chain[].name", "")
	phases := map[string]string{
		"pre_call": "request", "during_call": "request", "pre_mcp_call": "request",
		"post_call": "response", "logging_only": "response",
	}
	seen := map[string]bool{}
	for leaf := range params.get("mode").visitLeaves() {
		phase, ok := phases[leaf.readString()]
		if !ok {
			leaf.mark(Unsupported, "", "is not a mode that the importer knows")
			continue
		}
		if !seen[phase] {
			seen[phase] = true
			l.Phases = append(l.Phases, phase)
		}
		leaf.mark(Mapped, "chain[].phases", "")
		if leaf.readString() == "logging_only" {
			l.Mode = "shadow"
		}
	}
	on := params.get("default_on")
	if !on.isTrue() {
		l.Mode = "shadow"
		on.mark(Changed, "chain[].mode", "clients choose guards in LiteLLM; here the link runs in shadow mode until you enforce it")
		if name != nil && on == nil {
			name.found = &Finding{Path: name.path, Outcome: Changed, Target: "chain[].name", Why: "without default_on, clients " +
				"choose it in LiteLLM; here the link runs in shadow mode until you enforce it"}
		}
	}
	on.mark(Mapped, "chain[].mode", "")
	im.out.Chain = append(im.out.Chain, l)
	g.mark(Unsupported, "", "the gateway's guard has no such setting: docs/vendor-guards.md")
}

// isPrivate reports an address of this machine or a private network, or plain http.
func isPrivate(text string) bool {
	u, err := url.Parse(text)
	if err != nil || u.Scheme == "http" || strings.EqualFold(u.Hostname(), "localhost") {
		return true
	}
	a, err := netip.ParseAddr(u.Hostname())
	return err == nil && (a.IsLoopback() || a.IsPrivate() || a.IsLinkLocalUnicast())
}
