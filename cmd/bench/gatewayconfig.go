package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// gatewayConfig is the configuration of a measured gateway. All knowledge of the harness about the gateway's
// configuration is here.
var gatewayConfig = template.Must(template.New("gateway.yaml").Parse(`server:    {listen: "{{.Listen}}", metrics_listen: "{{.Metrics}}"{{if .Secure}}, tls: {cert_file: "{{.Secure}}/cert.pem", key_file: "{{.Secure}}/key.pem"}{{end}}}
store:     {url: "sqlite:{{.Dir}}/headgate.db"}
state:     {url: "memory:"}
providers:
  openai:    {api_key: "sk-bench", base_url: "{{.Upstream}}"{{if .Secure}}, ca_file: "{{.Secure}}/cert.pem"{{end}}}
  anthropic: {api_key: "sk-bench", base_url: "{{.Upstream}}"{{if .Secure}}, ca_file: "{{.Secure}}/cert.pem"{{end}}}
routes:
  - {model_pattern: "gpt-*", providers: [{provider: openai, weight: 1}]}
  - {model_pattern: "claude-*", providers: [{provider: anthropic, weight: 1}]}
{{if and (eq .Chain "all") (not .Secure)}}mcp_servers: {bench: {url: "{{.Upstream}}/mcp", allow_private: true, era: legacy, pin: off}}
{{end}}tenants:   [{id: bench, name: Bench, keys: [{name: load, key: "{{.Key}}", scopes: []}]}]
plugins:   {dir: "{{.Dir}}/plugins", watch: false, trust: open}
audit:     {exchanges: {{.Records}}}
{{if eq .Chain "spine"}}chain:
  - stage: pii
    config: {types: [EMAIL, CREDIT_CARD, US_SSN, IBAN, PHONE, IP_ADDRESS]}
  - wasm: {{.Detector}}
    name: employees
    config: {action: redact}
{{else if .Chain}}budgets:
  - {name: Bench, tenantId: bench, limitUsd: 1000000, softLimitPct: 80}
pricing:
  - {model: "gpt-*", provider: openai, inputPricePerMillion: 2.5, outputPricePerMillion: 10}
  - {model: "claude-*", provider: anthropic, inputPricePerMillion: 3, outputPricePerMillion: 15}
{{if eq .Chain "governance"}}chain:
  - stage: ratelimit
    config: {limits: [{per: [tenant, key], requests: 100000000, tokens: 1000000000000, concurrent: 10000}]}
  - stage: budget
{{else}}policies:
  - {id: bench, file: "{{.Dir}}/policy.yaml"}
chain:
  - stage: policy
  - stage: ratelimit
    config: {limits: [{per: [tenant, key], requests: 100000000, tokens: 1000000000000, concurrent: 10000}]}
  - stage: budget
  - stage: pii
  - stage: guardrail{{if eq .Chain "agent"}}
    mode: shadow{{else}}
    config:
      detectors:
        - {type: prompt_injection, action: flag}
        - {type: jailbreak, action: flag}
        - {type: secrets}
        - {type: invisible_text}
        - {type: system_prompt_leak}{{end}}
  - wasm: {{.Detector}}
    name: employees
    config: {action: redact}
  - stage: policy
    name: policy-on-findings
  - stage: cache
{{end}}{{else}}chain: []
{{end}}`))

// The chains that a gateway is measured with.
const (
	chainSpine      = "spine"      // personal data and a detector
	chainGovernance = "governance" // rate limit and budget
	chainAll        = "all"        // every stage; the guardrail only flags, since it takes random words for an attack
	chainAgent      = "agent"      // every stage, with the guardrail in shadow mode: it would block some texts that agents read
)

// formatBenchPolicy has fifty rules, none of which fires: all must be evaluated.
func formatBenchPolicy() string {
	var b strings.Builder
	b.WriteString("version: 1\nname: bench\nrules:\n")
	for i := range 10 {
		fmt.Fprintf(&b, `  - {id: model-%[1]d, conditions: {model.denylist: ["other-%[1]d-*"]}, action: DENY}
  - {id: tokens-%[1]d, conditions: {tokens.prompt_gt: %[1]d000000}, action: WARN_AGENT}
  - {id: scope-%[1]d, conditions: {key.scopes_any: ["cost:%[1]d"], tools.count_gt: 3}, action: FLAG}
  - {id: found-%[1]d, conditions: {pii.types_any: [IBAN], pii.count_gt: 100%[1]d}, action: DENY}
  - {id: guard-%[1]d, conditions: {detector.labels_any: ["jailbreak-%[1]d"]}, action: DENY}
`, i+1)
	}
	return b.String()
}

// gatewaySettings fills the configuration.
type gatewaySettings struct {
	Listen, Metrics string // host:port
	Dir             string // holds the database and the plugins folder
	Upstream        string
	Secure          string // folder of the certificate to serve, and to trust upstream; empty: plain HTTP
	Key             string
	Detector        string // file name of the module in the plugins folder
	Chain           string // optional
	Records         bool   // audit and metering
}

// writeGateway fills s.Dir with the configuration file and, if there is a chain, a copy of the detector; it returns the
// file's name.
func writeGateway(s gatewaySettings, detector string) (string, error) {
	plugins := filepath.Join(s.Dir, "plugins")
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		return "", fmt.Errorf("make the plugins folder: %w", err)
	}
	if s.Chain != "" && s.Chain != chainGovernance {
		if err := copyFile(filepath.Join(plugins, s.Detector), detector); err != nil {
			return "", fmt.Errorf("copy the detector: %w", err)
		}
	}
	if s.Chain == chainAll || s.Chain == chainAgent {
		if err := os.WriteFile(filepath.Join(s.Dir, "policy.yaml"), []byte(formatBenchPolicy()), 0o600); err != nil {
			return "", fmt.Errorf("write the policy: %w", err)
		}
	}
	var b strings.Builder
	if err := gatewayConfig.Execute(&b, s); err != nil {
		return "", fmt.Errorf("fill the configuration: %w", err)
	}
	name := filepath.Join(s.Dir, "gateway.yaml")
	if err := os.WriteFile(name, []byte(b.String()), 0o600); err != nil {
		return "", fmt.Errorf("write the configuration: %w", err)
	}
	return name, nil
}

func copyFile(to, from string) (err error) {
	in, err := os.Open(from)
	if err != nil {
		return err
	}
	defer func() { _ = in.Close() }() // only read
	out, err := os.OpenFile(to, os.O_WRONLY|os.O_CREATE|os.O_EXCL, 0o600)
	if err != nil {
		return err
	}
	defer func() {
		if cerr := out.Close(); err == nil {
			err = cerr
		}
	}()
	_, err = io.Copy(out, in)
	return err
}
