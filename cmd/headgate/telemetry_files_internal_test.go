package main

import (
	"encoding/json"
	"os"
	"regexp"
	"slices"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"
)

var (
	metricName  = regexp.MustCompile(`\b(?:headgate|gen_ai|go|process)_[a-z0-9_]+\b`)
	selector    = regexp.MustCompile(`(\w*)\{([^}]*)\}`)
	matcher     = regexp.MustCompile(`(\w+)\s*(?:=~|!~|!=|=)\s*"`)
	grouping    = regexp.MustCompile(`\b(?:by|without|on|ignoring)\s*\(([^)]*)\)`)
	legendLabel = regexp.MustCompile(`\{\{\s*(?:\$labels\.)?(\w+)\s*\}\}`)
)

// targets are labels that Prometheus itself adds to scraped metrics.
var targets = []string{"job", "instance", "le"}

// metricOf returns the metric of a name in an expression, which may be a part of a histogram.
func metricOf(all map[string]metric, name string) (metric, bool) {
	if m, ok := all[name]; ok {
		return m, true
	}
	for _, part := range []string{"_bucket", "_sum", "_count"} {
		if m, ok := all[strings.TrimSuffix(name, part)]; ok && strings.HasSuffix(name, part) {
			return m, true
		}
	}
	return metric{}, name == "up" // Prometheus' own
}

// holds checks that the metrics and labels of an expression exist, and returns its metrics.
func holds(t *testing.T, all map[string]metric, expr string) (found []metric) {
	t.Helper()
	for _, b := range []string{"()", "{}", "[]"} {
		assert.Equal(t, strings.Count(expr, b[:1]), strings.Count(expr, b[1:]), expr)
	}
	var labels []string
	for _, m := range selector.FindAllStringSubmatch(expr, -1) {
		one, ok := metricOf(all, m[1])
		if !assert.True(t, ok, "%s: %q is not a metric", expr, m[1]) {
			continue
		}
		for _, l := range matcher.FindAllStringSubmatch(m[2], -1) {
			assert.True(t, slices.Contains(one.labels, l[1]) || slices.Contains(targets, l[1]), "%s: %s has no label %s", expr, m[1], l[1])
		}
	}
	for _, m := range grouping.FindAllStringSubmatch(expr, -1) {
		for l := range strings.SplitSeq(m[1], ",") {
			labels = append(labels, strings.TrimSpace(l))
		}
	}
	bare := grouping.ReplaceAllString(selector.ReplaceAllString(expr, "$1"), "")
	for _, name := range metricName.FindAllString(bare, -1) {
		one, ok := metricOf(all, name)
		if assert.True(t, ok, "%s: %q is not a metric", expr, name) {
			found = append(found, one)
		}
	}
	for _, l := range labels {
		assert.True(t, carries(found, l), "%s: nothing in it has a label %s", expr, l)
	}
	return found
}

// carries reports whether one of the metrics has a label.
func carries(found []metric, label string) bool {
	return slices.Contains(targets, label) || slices.ContainsFunc(found, func(m metric) bool { return slices.Contains(m.labels, label) })
}

// checkLabels requires that found has each label in the braces of a text.
func checkLabels(t *testing.T, found []metric, text string) {
	t.Helper()
	for _, m := range legendLabel.FindAllStringSubmatch(text, -1) {
		assert.True(t, carries(found, m[1]), "%s: there is no label %s", text, m[1])
	}
}

func TestTheAlertsAreAboutMetricsThatThereAre(t *testing.T) {
	all := listMetrics(t)
	raw, err := os.ReadFile("../../configs/prometheus-rules.yaml")
	require.NoError(t, err)
	var file struct {
		Groups []struct {
			Name  string `yaml:"name"`
			Rules []struct {
				Alert       string            `yaml:"alert"`
				Expr        string            `yaml:"expr"`
				For         string            `yaml:"for"`
				Labels      map[string]string `yaml:"labels"`
				Annotations map[string]string `yaml:"annotations"`
			} `yaml:"rules"`
		} `yaml:"groups"`
	}
	d := yaml.NewDecoder(strings.NewReader(string(raw)))
	d.KnownFields(true)
	require.NoError(t, d.Decode(&file))
	verbs := regexp.MustCompile(`\bheadgate ([a-z]+)(?: ([a-z]+))?`)
	names := map[string]bool{}
	for _, g := range file.Groups {
		for _, r := range g.Rules {
			t.Run(r.Alert, func(t *testing.T) {
				require.Regexp(t, `^Headgate[A-Z]\w+$`, r.Alert)
				assert.False(t, names[r.Alert], "two alerts have that name")
				names[r.Alert] = true
				found := holds(t, all, r.Expr)
				assert.True(t, len(found) > 0 || strings.HasPrefix(r.Expr, "up{"))
				checkLabels(t, found, r.Annotations["summary"])
				assert.Contains(t, []string{"page", "ticket"}, r.Labels["severity"])
				assert.NotEmpty(t, r.Annotations["summary"])
				runbook := r.Annotations["runbook"]
				assert.Greater(t, len(runbook), 80, "a runbook says what to do")
				for _, m := range verbs.FindAllStringSubmatch(runbook, -1) {
					c, _, err := newRootCommand().Find([]string{m[1]})
					if !assert.NoError(t, err, m[0]) || !c.HasSubCommands() {
						continue
					}
					sub, _, err := newRootCommand().Find(m[1:])
					assert.NoError(t, err, m[0])
					assert.NotEqual(t, c.Name(), sub.Name(), "%s: the command does not exist", m[0])
				}
				for _, name := range metricName.FindAllString(runbook, -1) {
					_, ok := metricOf(all, name)
					assert.True(t, ok, "the runbook mentions %s", name)
				}
			})
		}
	}
	assert.Greater(t, len(names), 15)
}

func TestTheDashboardIsAboutMetricsThatThereAre(t *testing.T) {
	all := listMetrics(t)
	raw, err := os.ReadFile("../../configs/grafana-dashboard.json")
	require.NoError(t, err)
	var board struct {
		Title, UID string
		Panels     []struct {
			ID                       int
			Type, Title, Description string
			GridPos                  struct{ X, Y, W, H int }
			Targets                  []struct{ Expr, LegendFormat string }
		}
		Templating struct {
			List []struct{ Name, Query string }
		}
		Annotations struct{ List []struct{ Expr string } }
	}
	require.NoError(t, json.Unmarshal(raw, &board))
	ids, rows, cells := map[int]bool{}, []string{}, map[[2]int]string{}
	for _, p := range board.Panels {
		assert.False(t, ids[p.ID], "panel %d appears twice", p.ID)
		ids[p.ID] = true
		for x := p.GridPos.X; x < p.GridPos.X+p.GridPos.W; x++ {
			assert.Less(t, x, 24, p.Title)
			for y := p.GridPos.Y; y < p.GridPos.Y+p.GridPos.H; y++ {
				assert.Empty(t, cells[[2]int{x, y}], "%s overlaps another panel", p.Title)
				cells[[2]int{x, y}] = p.Title
			}
		}
		if p.Type == "row" {
			rows = append(rows, p.Title)
			continue
		}
		assert.NotEmpty(t, p.Description, p.Title)
		assert.NotEmpty(t, p.Targets, p.Title)
		for _, q := range p.Targets {
			found := holds(t, all, q.Expr)
			assert.NotEmpty(t, found, q.Expr)
			checkLabels(t, found, q.LegendFormat)
		}
	}
	assert.Equal(
		t,
		[]string{"Overview", "Traffic", "Latency", "Cost and tokens", "Guards, cache and budgets", "Faults", "Records and the control plane"},
		rows,
	)
	for _, v := range board.Templating.List {
		for _, name := range metricName.FindAllString(v.Query, -1) {
			_, ok := metricOf(all, name)
			assert.True(t, ok, v.Query)
		}
	}
	for _, a := range board.Annotations.List {
		holds(t, all, a.Expr)
	}
}

func TestAnExpressionAboutNothingIsFound(t *testing.T) {
	all := map[string]metric{"headgate_x_total": {labels: []string{"link"}}}
	assert.Len(t, holds(t, all, `sum by (link) (rate(headgate_x_total{link="a",job="b"}[5m])) > 0`), 1)
	_, ok := metricOf(all, "headgate_y_total")
	assert.False(t, ok)
	assert.False(t, carries([]metric{all["headgate_x_total"]}, "tenant"))
}
