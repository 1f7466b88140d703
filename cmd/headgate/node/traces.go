package node

import (
	"cmp"
	"os"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// buildTraceSettings returns where spans are sent.
func buildTraceSettings(cfg *config.Config, version string) telemetry.Traces {
	host, _ := os.Hostname() // "" is as useful as an invented name
	t := telemetry.Traces{
		Endpoint: cfg.Telemetry.Traces.Endpoint, Sample: cfg.Telemetry.Traces.Sample, Version: version, Node: cmp.Or(cfg.Fleet.Node, host),
		Headers: make(map[string]string, len(cfg.Telemetry.Traces.Headers)),
	}
	for name, value := range cfg.Telemetry.Traces.Headers {
		t.Headers[name] = value.Reveal()
	}
	return t
}
