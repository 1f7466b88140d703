package rest_test

import (
	"io"
	"net/http"
	"net/http/httptest"
	"sync"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// keeps starts a service on loopback that keeps the paths, headers and bodies of its calls.
func keeps(t testing.TB) (url string, calls func() (paths, bodies []string, headers []http.Header)) {
	var mu sync.Mutex
	var paths, bodies []string
	var headers []http.Header
	srv := httptest.NewServer(http.HandlerFunc(func(_ http.ResponseWriter, r *http.Request) {
		b, _ := io.ReadAll(r.Body) // a short body is seen in the comparison
		mu.Lock()
		defer mu.Unlock()
		paths, bodies, headers = append(paths, r.URL.Path), append(bodies, string(b)), append(headers, r.Header)
	}))
	t.Cleanup(srv.Close)
	return srv.URL, func() ([]string, []string, []http.Header) {
		mu.Lock()
		defer mu.Unlock()
		return paths, bodies, headers
	}
}

func TestTheURLOfAnIncomingWebhookIsACredential(t *testing.T) {
	a := newAPI(t, storetest.Open(t, storetest.CreateSQLite(t)))
	url, calls := keeps(t)
	for _, format := range []string{"slack", "teams"} {
		slack := hook(url+"/services/T0/B0/secret-"+format, "name", format, "format", format, "secret", nil)
		r := a.do("POST", "/admin/v1/webhooks", slack).is(201)
		path := r.header.Get("Location")
		assert.Equal(t, url+"/…", r.str("url"))
		tested := a.do("POST", path+"/test", nil).is(200)
		assert.Equal(t, true, tested.field("delivered"), tested.text)
		same := a.do("PUT", path, `{"url":"`+url+`/…","name":"x-`+format+`"}`).is(200)
		a.do("POST", path+"/test", nil).is(200)
		moved := a.do("PUT", path, `{"url":"`+url+`/moved"}`).is(200)
		a.do("POST", path+"/test", nil).is(200)
		turned := a.do("POST", path+"/rotate", `{"secret":"`+url+`/rotated/further"}`).is(200)
		a.do("POST", path+"/test", nil).is(200)
		for _, text := range []string{r.text, same.text, moved.text, turned.text, a.do("GET", "/admin/v1/webhooks", nil).is(200).text} {
			assert.NotContains(t, text, "secret-"+format)
			assert.NotContains(t, text, "moved\"")
			assert.NotContains(t, text, "rotated/")
		}
		w, err := a.db.Webhooks().Get(t.Context(), r.str("id"))
		require.NoError(t, err)
		assert.Equal(t, url+"/…", w.URL, "what is stored in clear")
	}
	paths, bodies, headers := calls()
	assert.Equal(t, []string{
		"/services/T0/B0/secret-slack", "/services/T0/B0/secret-slack", "/moved", "/rotated/further",
		"/services/T0/B0/secret-teams", "/services/T0/B0/secret-teams", "/moved", "/rotated/further",
	}, paths)
	for i, h := range headers {
		assert.Empty(t, h.Values("Headgate-Signature"), "nothing of the credential goes into a header")
		assert.Contains(t, bodies[i], "This is a test of the subscription")
	}
}

func TestAnIntegrationKeyOfPagerDutyIsInTheBodyOnly(t *testing.T) {
	a := newAPI(t, storetest.Open(t, storetest.CreateSQLite(t)))
	url, calls := keeps(t)
	const key = "0123456789abcdefghijklmnopqrstuv"
	r := a.do("POST", "/admin/v1/webhooks", hook(url+"/v2/enqueue", "format", "pagerduty", "secret", key)).is(201)
	a.do("POST", r.header.Get("Location")+"/test", nil).is(200)
	_, bodies, _ := calls()
	require.Len(t, bodies, 1)
	assert.Contains(t, bodies[0], `"routing_key":"`+key+`"`)
	assert.NotContains(t, a.do("GET", r.header.Get("Location"), nil).is(200).text, key)
	a.do("PUT", r.header.Get("Location"), `{"url":"https://elsewhere.example.com/"}`).requireRefusal(400, "invalid_value")
	auto := a.do("POST", "/admin/v1/webhooks", map[string]any{
		"name": "pd", "format": "pagerduty", "secret": key, "event_types": []string{"BUDGET_EXCEEDED"},
	}).is(201)
	assert.Equal(t, "https://events.pagerduty.com/v2/enqueue", auto.str("url"))
}

func TestWhatAFormatLacksIsSaid(t *testing.T) {
	a := newAPI(t, storetest.Open(t, storetest.CreateSQLite(t)))
	for name, c := range map[string]struct {
		body map[string]any
		code string
	}{
		"Slack with a secret":             {hook("https://hooks.slack.com/services/x", "format", "slack"), "invalid_value"},
		"Slack without a URL":             {hook("", "format", "slack", "secret", nil), "missing_required_parameter"},
		"Teams with the URL of an export": {hook("https://x.example.com/…", "format", "teams", "secret", nil), "invalid_value"},
		"PagerDuty with a short key":      {hook("", "format", "pagerduty", "secret", "0123456789abcdef"), "invalid_value"},
		"a format that does not exist":    {hook("https://x.example.com", "format", "fax"), "invalid_value"},
		"the own format without a URL":    {hook(""), "missing_required_parameter"},
		"the own format without a secret": {hook("https://x.example.com", "secret", nil), "missing_required_parameter"},
	} {
		t.Run(name, func(t *testing.T) { a.do("POST", "/admin/v1/webhooks", c.body).requireRefusal(400, c.code) })
	}
}
