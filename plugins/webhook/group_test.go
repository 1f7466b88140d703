package webhook

import (
	"context"
	"net/http"
	"net/http/httptest"
	"strings"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// record returns a receiver as a record.
func (r *receiver) record(id, tenant string, change ...func(*Options)) Record {
	o := Options{Link: id, URL: r.URL, Secret: secret, AllowPrivate: true, Timeout: 20 * time.Second}
	for _, f := range change {
		f(&o)
	}
	return Record{ID: id, Version: 1, Tenant: tenant, Options: o}
}

func group(t testing.TB, records ...Record) *Group {
	g := NewGroup("guardrail-plugins", nil)
	require.NoError(t, g.Set(records))
	t.Cleanup(g.Close)
	return g
}

func newRequestOf(t testing.TB, tenant, text string) *core.Exchange {
	x := request(t, `{"model":"m","messages":[{"role":"user","content":"`+text+`"}]}`)
	x.Principal = &core.Principal{Tenant: tenant}
	return x
}

func word(word, label string) webhook.Judge {
	return func(_ context.Context, r *webhook.Request) (*webhook.Verdict, error) {
		v := &webhook.Verdict{Action: webhook.Pass}
		for i, s := range r.Segments {
			if at := strings.Index(s.Text, word); at >= 0 {
				v.Action = webhook.Redact
				v.Findings = append(v.Findings, webhook.Finding{Segment: i, Start: at, End: at + len(word), Label: label})
			}
		}
		return v, nil
	}
}

func TestAGroupConformsToTheContractOfStages(t *testing.T) {
	one, two := receives(t, finds(webhook.Redact)), receives(t, finds(webhook.Redact))
	shadow := receives(t, finds(webhook.Block))
	stagetest.Conform(t, stagetest.Suite{
		New: func(t testing.TB) core.Stage {
			return group(t, one.record("one", ""), two.record("two", ""),
				shadow.record("shadow", "", func(o *Options) { o.Shadow = true })).Stage()
		},
		Texts:  []string{"PROJECT-APOLLO", "nothing", "é PROJECT-APOLLO " + strings.Repeat("word ", 200) + "PROJECT-GEMINI"},
		Phases: []core.Phase{core.Request, core.Response},
	})
}

func TestAGroupJoinsWhatItsReceiversTakeOut(t *testing.T) {
	a, b := receives(t, word("one two", "first")), receives(t, word("two three", "second"))
	st := group(t, a.record("a", ""), b.record("b", "")).Stage()
	stagetest.Cases(t, st, []stagetest.Case{
		{
			Name:   "findings that overlap are one",
			Text:   stagetest.Text{Text: "zero one two three four"},
			Action: core.Rewrite,
			Out:    "zero <SECOND> four",
			Labels: []string{"second"},
		},
		{
			Name:   "only one of them finds something",
			Text:   stagetest.Text{Text: "one two"},
			Action: core.Rewrite,
			Out:    "<FIRST>",
			Labels: []string{"first"},
		},
		{Name: "none does", Text: stagetest.Text{Text: "four"}},
	})
}

func TestAnExchangeMeetsThePluginsOfThePlatformAndItsTenants(t *testing.T) {
	all, acme, globex := receives(
		t,
		says(webhook.Verdict{Action: webhook.Pass}),
	), receives(
		t,
		says(webhook.Verdict{Action: webhook.Pass}),
	), receives(
		t,
		says(webhook.Verdict{Action: webhook.Pass}),
	)
	g := group(t, all.record("all", ""), acme.record("acme", "acme"), globex.record("globex", "globex"))
	for tenant, want := range map[string][3]int64{"acme": {1, 1, 0}, "globex": {1, 0, 1}, "initech": {1, 0, 0}} {
		before := [3]int64{all.calls.Load(), acme.calls.Load(), globex.calls.Load()}
		v, err := g.Stage().Check(context.Background(), newRequestOf(t, tenant, "hello"), core.Request, nil)
		require.NoError(t, err)
		assert.Equal(t, core.Pass, v.Action)
		assert.Equal(t, want, [3]int64{all.calls.Load() - before[0], acme.calls.Load() - before[1], globex.calls.Load() - before[2]}, tenant)
	}
	require.NoError(t, g.Set([]Record{acme.record("acme", "acme")}))
	applies := func(tenant string) bool {
		return g.Stage().(core.ConditionalStage).Applies(newRequestOf(t, tenant, ""))
	}
	assert.True(t, applies("acme"))
	assert.False(t, applies("globex"), "no receiver applies")
	require.NoError(t, g.Set(nil))
	assert.False(t, applies("acme"))
	v, err := g.Stage().Check(context.Background(), newRequestOf(t, "acme", "hello"), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Pass, v.Action)
}

func TestEachReceiverOfAGroupKeepsItsFailMode(t *testing.T) {
	fails := httptest.NewServer(http.HandlerFunc(func(w http.ResponseWriter, _ *http.Request) { w.WriteHeader(500) }))
	defer fails.Close()
	bad := &receiver{Server: fails}
	good := receives(t, finds(webhook.Block))
	var told []remote.Observed
	g := NewGroup("guardrail-plugins", func(o remote.Observed) { told = append(told, o) })
	defer g.Close()
	open := bad.record("open", "", func(o *Options) { o.FailOpen = true })
	require.NoError(t, g.Set([]Record{open, good.record("good", "")}))
	v, err := g.Stage().Check(context.Background(), newRequestOf(t, "acme", "hello"), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Pass, v.Action, "a failure is an empty result")
	require.Len(t, told, 1)
	assert.Equal(t, "open", told[0].Link)
	require.ErrorContains(t, told[0].Fault, "status 500")
	v, err = g.Stage().Check(context.Background(), newRequestOf(t, "acme", "PROJECT-APOLLO"), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Block, v.Action, "the others still judge")
	assert.Contains(t, v.Err.Public, `"good"`)

	require.NoError(t, g.Set([]Record{bad.record("closed", ""), good.record("good", "")}))
	_, err = g.Stage().Check(context.Background(), newRequestOf(t, "acme", "hello"), core.Request, nil)
	require.ErrorContains(t, err, `"closed"`)

	wrong := good.record("wrong", "", func(o *Options) { o.URL = "ftp://example.com" })
	require.ErrorContains(t, g.Set([]Record{wrong, good.record("good", "")}), `"wrong"`)
	_, err = g.Stage().Check(context.Background(), newRequestOf(t, "acme", "hello"), core.Request, nil)
	require.Error(t, err, "an invalid receiver that fails closed lets nothing pass")
	wrong.Options.FailOpen, wrong.Version = true, 2
	require.ErrorContains(t, g.Set([]Record{wrong, good.record("good", "")}), `"wrong"`)
	_, err = g.Stage().Check(context.Background(), newRequestOf(t, "acme", "hello"), core.Request, nil)
	require.NoError(t, err)
}

func TestAReceiverInShadowGetsCopiesAndNobodyWaits(t *testing.T) {
	free := make(chan struct{})
	r := receives(t, func(ctx context.Context, q *webhook.Request) (*webhook.Verdict, error) {
		<-free
		return finds(webhook.Block)(ctx, q)
	})
	told := make(chan remote.Observed, 1)
	g := NewGroup("guardrail-plugins", func(o remote.Observed) { told <- o })
	defer g.Close()
	require.NoError(t, g.Set([]Record{r.record("shadow", "", func(o *Options) { o.Shadow = true })}))
	v, err := g.Stage().Check(context.Background(), newRequestOf(t, "acme", "PROJECT-APOLLO"), core.Request, nil)
	require.NoError(t, err)
	assert.Equal(t, core.Pass, v.Action)
	close(free)
	o := <-told
	assert.Equal(t, "shadow", o.Link)
	assert.Equal(t, remote.Block, o.Action)
}

func TestAReceiverThatDidNotChangeStaysTheSame(t *testing.T) {
	r := receives(t, says(webhook.Verdict{Action: webhook.Pass}))
	g := group(t, r.record("a", ""), r.record("b", ""))
	a, b := g.members["a"].stage, g.members["b"].stage
	changed := r.record("b", "")
	changed.Version = 2
	require.NoError(t, g.Set([]Record{r.record("a", ""), changed}))
	assert.Same(t, a, g.members["a"].stage)
	assert.NotSame(t, b, g.members["b"].stage)
}
