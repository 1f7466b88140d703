package main

import (
	"fmt"
	"io"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/prometheus/client_golang/prometheus"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// metricsPage is the page that documents every metric.
const metricsPage = "../../docs/telemetry.md"

// metricsVariable makes the test rewrite the table of metrics in metricsPage.
const metricsVariable = "HEADGATE_WRITE_METRICS_PAGE"

// metric is a registered metric.
type metric struct {
	name, help string
	labels     []string
}

var descriptor = regexp.MustCompile(
	`^Desc\{fqName: "([^"]+)", help: "(.*?)"(?:, unit: "[^"]*")?, constLabels: \{.*\}, variableLabels: \{(.*)\}\}$`,
)

// listMetrics returns all metrics of a running gateway, except those of the Prometheus client.
func listMetrics(t *testing.T) map[string]metric {
	t.Helper()
	tel, err := telemetry.New(telemetry.Options{Out: io.Discard, Traces: telemetry.Traces{Endpoint: "http://127.0.0.1:1", Sample: 1}})
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, tel.Close()) })
	require.NoError(t, node.DescribeMetrics(tel))
	ch := make(chan *prometheus.Desc)
	go func() {
		defer close(ch)
		tel.Metrics().Describe(ch)
	}()
	all := map[string]metric{}
	for d := range ch {
		m := descriptor.FindStringSubmatch(d.String())
		require.NotNil(t, m, d.String())
		one := metric{name: m[1], help: strings.ReplaceAll(m[2], `\"`, `"`)}
		if m[3] != "" {
			one.labels = strings.Split(m[3], ",")
		}
		all[one.name] = one
	}
	require.Greater(t, len(all), 50)
	return all
}

// clients are the prefixes of metrics that the Prometheus client exports for every Go program.
func clients(name string) bool {
	return strings.HasPrefix(name, "go_") || strings.HasPrefix(name, "process_")
}

func TestEveryMetricIsDocumented(t *testing.T) {
	all := listMetrics(t)
	var rows []string
	for name, m := range all {
		if clients(name) {
			continue
		}
		assert.True(t, strings.HasPrefix(name, "headgate_") || strings.HasPrefix(name, "gen_ai_"), name)
		assert.True(t, strings.HasSuffix(m.help, "."), "%s: %q is not a sentence", name, m.help)
		labels := "`" + strings.Join(m.labels, "` `") + "`"
		if len(m.labels) == 0 {
			labels = ""
		}
		rows = append(rows, fmt.Sprintf("| `%s` | %s | %s |\n", name, labels, m.help))
	}
	slices.Sort(rows)
	table := "| metric | labels | meaning |\n|---|---|---|\n" + strings.Join(rows, "")
	const begin, end = "<!-- metrics: written by a test -->\n", "<!-- end of metrics -->\n"
	page, err := os.ReadFile(metricsPage)
	require.NoError(t, err)
	before, rest, ok := strings.Cut(string(page), begin)
	require.True(t, ok)
	was, after, ok := strings.Cut(rest, end)
	require.True(t, ok)
	if os.Getenv(metricsVariable) != "" {
		require.NoError(t, os.WriteFile(metricsPage, []byte(before+begin+table+end+after), 0o644))
		return
	}
	assert.Equal(t, table, was, "docs/telemetry.md does not list the registered metrics: set %s=1 to rewrite it", metricsVariable)
}
