package outbox

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/url"
	"slices"
	"strings"
	"unicode/utf8"

	"github.com/headgate-dev/headgate/core/records/store"
)

// The formats of calls: the gateway's own, and those in which other services take alerts.
const (
	FormatHeadgate  = "headgate"
	FormatSlack     = "slack"
	FormatTeams     = "teams"
	FormatPagerDuty = "pagerduty"
)

// PagerDutyURL is where PagerDuty takes events of its Events API v2 in the United States.
const PagerDutyURL = "https://events.pagerduty.com/v2/enqueue"

// ListFormats returns the names of the formats.
func ListFormats() []string {
	return []string{FormatHeadgate, FormatSlack, FormatTeams, FormatPagerDuty}
}

// HidesURL reports whether the URL of a format is itself the credential, as that of an incoming webhook is. Such a URL
// is stored sealed as the secret, and only MaskURL of it is shown.
func HidesURL(format string) bool { return format == FormatSlack || format == FormatTeams }

// Signs reports whether calls in a format are signed. Other services have no use for the gateway's signature.
func Signs(format string) bool { return format == FormatHeadgate || format == "" }

// MaskURL returns what may be shown of a URL that is a credential: its scheme and host.
func MaskURL(raw string) string {
	u, err := url.Parse(raw)
	if err != nil || u.Host == "" {
		return "…"
	}
	return u.Scheme + "://" + u.Host + "/…"
}

// The severities of PagerDuty, by type of event. A type that is not listed is "info".
var severities = map[string]string{
	BudgetExceeded: "error", CircuitChanged: "error", ApprovalRequested: "warning", BudgetSoftLimit: "warning", PluginThreshold: "warning",
	CostAnomaly: "warning", ToolDrift: "warning", LicenseTransition: "warning",
	"PLUGIN_REFUSED": "warning", "PLUGIN_HELD": "warning", Test: "info",
}

// encodeBody returns the body of a call in the format of a subscription. secret is its opened secret.
func encodeBody(w *store.Webhook, secret, delivery string, e *store.WebhookEvent) ([]byte, error) {
	if Signs(w.Format) {
		return buildBody(delivery, e)
	}
	facts, err := listFacts(e)
	if err != nil {
		return nil, err
	}
	var v any
	switch w.Format {
	case FormatSlack:
		v = buildSlackMessage(e, facts)
	case FormatTeams:
		v = buildTeamsMessage(e, facts)
	case FormatPagerDuty:
		v = buildPagerDutyEvent(e, secret, facts)
	default:
		return nil, fmt.Errorf("unknown format %q", w.Format)
	}
	var b bytes.Buffer
	out := json.NewEncoder(&b)
	out.SetEscapeHTML(false)
	if err := out.Encode(v); err != nil {
		return nil, fmt.Errorf("event %s: %w", e.ID, err)
	}
	return bytes.TrimSpace(b.Bytes()), nil
}

// fact is one field of an event, as a person reads it.
type fact struct{ name, value string }

// maxFact limits a field of a message, in bytes; services refuse long messages.
const maxFact = 500

// listFacts returns the fields of an event in the order of its type. Empty ones are omitted.
func listFacts(e *store.WebhookEvent) (facts []fact, err error) {
	var data map[string]any
	d := json.NewDecoder(strings.NewReader(e.Data))
	d.UseNumber()
	if err := d.Decode(&data); err != nil {
		return nil, fmt.Errorf("event %s: %w", e.ID, err)
	}
	if e.Tenant != "" {
		facts = append(facts, fact{"workspace", e.Tenant})
	}
	t := findType(e.Type)
	if t == nil {
		return facts, nil
	}
	for i := range t.Fields {
		if text := describeValue(data[t.Fields[i].Name]); text != "" {
			facts = append(facts, fact{strings.ReplaceAll(t.Fields[i].Name, "_", " "), text})
		}
	}
	return facts, nil
}

// describeValue returns a value as text on one line.
func describeValue(v any) string {
	var text string
	switch v := v.(type) {
	case nil:
	case string:
		text = v
	case json.Number:
		text = v.String()
	case []any:
		parts := make([]string, len(v))
		for i := range v {
			parts[i] = describeValue(v[i])
		}
		text = strings.Join(parts, ", ")
	case map[string]any:
		parts := make([]string, 0, len(v))
		for name, n := range v {
			parts = append(parts, name+" "+describeValue(n))
		}
		slices.Sort(parts)
		text = strings.Join(parts, ", ")
	}
	text = strings.Join(strings.Fields(text), " ")
	if len(text) > maxFact {
		end := maxFact
		for !utf8.RuneStart(text[end]) {
			end--
		}
		text = text[:end] + "…"
	}
	return text
}

// formatHeadline describes an event in a sentence.
func formatHeadline(e *store.WebhookEvent) string {
	if e.Type == Test {
		return "This is a test of the subscription"
	}
	if t := findType(e.Type); t != nil {
		return strings.ToUpper(t.When[:1]) + t.When[1:]
	}
	return e.Type
}
