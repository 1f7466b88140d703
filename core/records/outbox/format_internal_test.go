package outbox

import (
	"encoding/json"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// alert is an event whose values try to write in the markup of each service.
var alert = store.WebhookEvent{
	ID: "ev-1", Type: BudgetSoftLimit, Tenant: "acme", At: time.Date(2026, 11, 28, 12, 0, 0, 0, time.UTC),
	Data: `{"budget":"<!channel> [x](https://evil.example) ` + "`*b*`" + `\n\n# h","period":"DAILY","utilization_pct":"81"}`,
}

// The bodies are written from the services' own documentation: Slack's "Sending messages using incoming webhooks", Microsoft's
// "Create incoming webhooks with Workflows", PagerDuty's "Send an Alert Event" of the Events API v2.
func TestAnEventIsWrittenInTheFormatOfEachService(t *testing.T) {
	for _, c := range []struct{ name, format, want string }{
		{
			"Slack gets text in which no value can notify or link", FormatSlack,
			"{\"text\":\"*A budget reached its soft limit, once per period*  `BUDGET_SOFT_LIMIT`\\n• workspace: `acme`\\n" +
				"• budget: `&lt;!channel&gt; [x](https://evil.example) '*b*' # h`\\n• period: `DAILY`\\n• utilization pct: `81`\",\"unfurl_links\":false}",
		},
		{
			"Teams gets a card whose values are not Markdown", FormatTeams,
			`{"attachments":[{"content":{"$schema":"http://adaptivecards.io/schemas/adaptive-card.json","body":[` +
				`{"text":"A budget reached its soft limit, once per period","type":"TextBlock","weight":"Bolder","wrap":true},` +
				`{"isSubtle":true,"spacing":"None","text":"BUDGET\\_SOFT\\_LIMIT","type":"TextBlock"},` +
				`{"facts":[{"title":"workspace","value":"acme"},{"title":"budget","value":"&lt;!channel> \\[x\\](https://evil.example) ` + "`\\\\*b\\\\*`" + ` # h"},` +
				`{"title":"period","value":"DAILY"},{"title":"utilization pct","value":"81"},{"title":"time","value":"2026-11-28T12:00:00Z"}],"type":"FactSet"}],` +
				`"type":"AdaptiveCard","version":"1.4"},"contentType":"application/vnd.microsoft.card.adaptive"}],"type":"message"}`,
		},
		{
			"PagerDuty gets an event that opens one incident however often it is sent", FormatPagerDuty,
			`{"client":"Headgate","dedup_key":"ev-1","event_action":"trigger","payload":{"class":"BUDGET_SOFT_LIMIT",` +
				`"custom_details":{"budget":"<!channel> [x](https://evil.example) ` + "`*b*`" + ` # h","period":"DAILY","utilization pct":"81","workspace":"acme"},` +
				`"severity":"warning","source":"headgate","summary":"A budget reached its soft limit, once per period",` +
				`"timestamp":"2026-11-28T12:00:00Z"},"routing_key":"key"}`,
		},
	} {
		t.Run(c.name, func(t *testing.T) {
			got, err := encodeBody(&store.Webhook{Format: c.format}, "key", "d-1", &alert)
			require.NoError(t, err)
			assert.Equal(t, c.want, string(got))
		})
	}
}

func TestEachTypeOfEventCanBeWrittenInEachFormat(t *testing.T) {
	for _, format := range ListFormats() {
		for _, typ := range append(ListNames(), Test) {
			got, err := encodeBody(&store.Webhook{Format: format}, "key", "d-1", &store.WebhookEvent{ID: "e", Type: typ, Data: "{}"})
			require.NoError(t, err, "%s %s", format, typ)
			assert.True(t, json.Valid(got), "%s %s", format, typ)
		}
	}
	_, err := encodeBody(&store.Webhook{Format: "fax"}, "key", "d-1", &alert)
	assert.ErrorContains(t, err, "fax")
}

func TestALongValueIsCutAtACharacter(t *testing.T) {
	long := make([]rune, 400)
	for i := range long {
		long[i] = 'é'
	}
	assert.Len(t, describeValue(string(long)), 500+len("…"))
}

func TestOnlySchemeAndHostOfAHiddenURLAreShown(t *testing.T) {
	for raw, want := range map[string]string{
		"https://hooks.slack.com/services/T0/B0/secret":             "https://hooks.slack.com/…",
		"https://x.logic.azure.com:443/workflows/1?sig=secret":      "https://x.logic.azure.com:443/…",
		"https://user:secret@hooks.slack.com/services/T0/B0/secret": "https://hooks.slack.com/…",
		"not a url": "…",
	} {
		assert.Equal(t, want, MaskURL(raw))
	}
}
