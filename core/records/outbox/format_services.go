package outbox

import (
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

type object = map[string]any

// slackText escapes the three characters that Slack's text gives a meaning, so that a value can neither link nor notify
// anybody (https://docs.slack.dev/messaging/formatting-message-text).
var slackText = strings.NewReplacer("&", "&amp;", "<", "&lt;", ">", "&gt;", "`", "'")

// buildSlackMessage returns the body of Slack's incoming webhooks.
func buildSlackMessage(e *store.WebhookEvent, facts []fact) object {
	var b strings.Builder
	b.WriteString("*" + slackText.Replace(formatHeadline(e)) + "*  `" + e.Type + "`")
	for _, f := range facts {
		b.WriteString("\n• " + slackText.Replace(f.name) + ": `" + slackText.Replace(f.value) + "`")
	}
	return object{"text": b.String(), "unfurl_links": false}
}

// cardText escapes the Markdown of Adaptive Cards.
var cardText = strings.NewReplacer(`\`, `\\`, "[", `\[`, "]", `\]`, "*", `\*`, "_", `\_`, "<", "&lt;")

// buildTeamsMessage returns the body of a Teams workflow that posts a card when a webhook request is received.
func buildTeamsMessage(e *store.WebhookEvent, facts []fact) object {
	lines := make([]object, 0, len(facts)+1)
	for _, f := range append(facts, fact{"time", e.At.UTC().Format(time.RFC3339)}) {
		lines = append(lines, object{"title": f.name, "value": cardText.Replace(f.value)})
	}
	return object{"type": "message", "attachments": []object{{
		"contentType": "application/vnd.microsoft.card.adaptive",
		"content": object{
			"$schema": "http://adaptivecards.io/schemas/adaptive-card.json", "type": "AdaptiveCard", "version": "1.4",
			"body": []object{
				{"type": "TextBlock", "text": formatHeadline(e), "weight": "Bolder", "wrap": true},
				{"type": "TextBlock", "text": cardText.Replace(e.Type), "isSubtle": true, "spacing": "None"},
				{"type": "FactSet", "facts": lines},
			},
		},
	}}}
}

// buildPagerDutyEvent returns the body of PagerDuty's Events API v2. Repeated attempts have the same key, so they open one incident.
func buildPagerDutyEvent(e *store.WebhookEvent, key string, facts []fact) object {
	severity := severities[e.Type]
	if severity == "" {
		severity = "info"
	}
	details := object{}
	for _, f := range facts {
		details[f.name] = f.value
	}
	return object{
		"routing_key": key, "event_action": "trigger", "dedup_key": e.ID, "client": "Headgate",
		"payload": object{
			"summary": formatHeadline(e), "source": "headgate", "severity": severity, "class": e.Type,
			"timestamp": e.At.UTC().Format(time.RFC3339), "custom_details": details,
		},
	}
}
