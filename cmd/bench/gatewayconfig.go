package main

import (
	"fmt"
	"io"
	"os"
	"path/filepath"
	"strings"
	"text/template"
)

// gatewayConfig is the configuration that a measured gateway is given. All that
// the harness knows about the gateway's configuration stands here.
var gatewayConfig = template.Must(template.New("gateway.yaml").Parse(`server:    {listen: "{{.Listen}}", metrics_listen: "{{.Metrics}}"}
store:     {url: "sqlite:{{.Dir}}/headgate.db"}
state:     {url: "memory:"}
providers: {openai: {api_key: "sk-bench", base_url: "{{.Upstream}}"}}
routes:    [{model_pattern: "gpt-*", providers: [{provider: openai, weight: 1}]}]
tenants:   [{id: bench, name: Bench, keys: [{name: load, key: "{{.Key}}", scopes: []}]}]
plugins:   {dir: "{{.Dir}}/plugins", watch: false, trust: open}
audit:     {exchanges: {{.Records}}}
{{if .Chain}}chain:
  - stage: pii
  - wasm: {{.Detector}}
    name: employees
    config: {action: redact}
{{else}}chain: []
{{end}}`))

// gatewaySettings fills the configuration.
type gatewaySettings struct {
	Listen, Metrics string // host:port
	Dir             string // holds the database and the plugins folder
	Upstream        string
	Key             string
	Detector        string // file name of the module in the plugins folder
	Chain           bool   // false: an empty chain
	Records         bool   // audit and metering
}

// writeGateway fills s.Dir with the configuration file and, when there is a
// chain, the detector, copied from its file; it returns the file's name.
func writeGateway(s gatewaySettings, detector string) (string, error) {
	plugins := filepath.Join(s.Dir, "plugins")
	if err := os.MkdirAll(plugins, 0o700); err != nil {
		return "", fmt.Errorf("make the plugins folder: %w", err)
	}
	if s.Chain {
		if err := copyFile(filepath.Join(plugins, s.Detector), detector); err != nil {
			return "", fmt.Errorf("copy the detector: %w", err)
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
