package console

import (
	"errors"
	"net/url"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

// brokenPlane is a gateway whose configuration file has an error since it started.
type brokenPlane struct{ plane }

func (brokenPlane) ResolveLayout(*config.Layout) (admin.ArrangedChain, error) {
	return admin.ArrangedChain{}, errors.New("gateway.yaml:7: `chain[0].stage`: unknown stage \"pil\"; did you mean \"pii\"?")
}

func TestTheChainPageShowsTheErrorOfTheConfigurationFileAndWhatRuns(t *testing.T) {
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) {
		o.Service.Plane = brokenPlane{}
		o.Running = func() []RunningLink {
			return []RunningLink{{Name: "words", Mode: "enforce", Phases: []string{"request"}}}
		}
	})
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	page := b.get("/chain")
	assert.Equal(t, 200, page.status)
	assert.Contains(t, page.body, "gateway.yaml:7")
	assert.Contains(t, page.body, "words")
	assert.NotContains(t, page.body, "Save chain")
	draft := b.get("/chain?link=words&mode=shadow")
	assert.Equal(t, 200, draft.status)
	sent := b.post("/chain", url.Values{"link": {"words"}, "mode": {"shadow"}})
	assert.Equal(t, 409, sent.status)
	assert.Contains(t, sent.body, "gateway.yaml:7")
}

func TestANewKeyMayListModelsUnlessItsBoxIsCleared(t *testing.T) {
	s := serveSite(t, nil)
	s.user("tom", auth.RoleAdmin) // creates the workspace t1
	page := s.signedIn(s.user("ada", auth.RoleOwner)).get("/workspaces/t1")
	for scope, checked := range map[string]bool{"completions:write": true, "models:read": true, "embeddings:write": false} {
		_, box, found := strings.Cut(page.body, `value="`+scope+`"`)
		require.True(t, found, scope)
		assert.Equal(t, checked, strings.HasPrefix(box, " checked"), scope)
	}
	assert.Contains(t, page.body, `data-copy-text="t1"`, "the id can be copied")
}

func TestTheKeyOfABudgetIsChosenFromAList(t *testing.T) {
	s := serveSite(t, nil)
	s.user("tom", auth.RoleAdmin)
	require.NoError(t, s.db.Keys().Insert(t.Context(), store.Key{
		ID: "k1", TenantID: "t1", Name: "ci", Prefix: "gw_abcd", Hash: [32]byte{1}, Status: store.KeyActive, Source: store.SourceAPI,
	}))
	require.NoError(t, s.db.Tenants().Insert(t.Context(), store.Tenant{ID: "t2", Name: "Two", Status: "active", Tier: "standard"}))
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	assert.Contains(t, b.get("/budgets").body, `<option value="t1/k1">One: ci (gw_abcd…)</option>`)
	assert.Contains(t, b.get("/budgets?tenant=t1&key=k1").body, `<option value="t1/k1" selected>`)
	form := url.Values{"name": {"ci-monthly"}, "limitUsd": {"5"}, "period": {"MONTHLY"}, "softLimitPct": {"80"}, "tenantId": {"t2"}, "apiKeyId": {"t1/k1"}}
	refused := b.post("/budgets", form)
	assert.Equal(t, 400, refused.status)
	assert.Contains(t, refused.body, "This key belongs to another workspace.")
	form.Del("tenantId")
	require.Equal(t, 303, b.post("/budgets", form).status)
	assert.Contains(t, b.get("/budgets").body, "One, key ci (gw_abcd…)")
}

func TestEachRowOfTheCostsHasAName(t *testing.T) {
	s := serveSite(t, nil)
	set, err := s.c.parseTemplates("costs")
	require.NoError(t, err)
	sums := &costSums{Models: []admin.CostPart{{Requests: 3}}, Tenants: []admin.CostPart{{Requests: 3}}}
	sums.Total.Requests = 3
	var out strings.Builder
	require.NoError(t, set.ExecuteTemplate(&out, "content", &page{
		Data: &costPage{Form: newForm(), Names: &names{known: map[string]string{}}, costSums: sums}, location: &url.URL{Path: "/costs"}, statics: s.c.statics,
	}))
	assert.Contains(t, out.String(), "answered without a model")
	assert.Contains(t, out.String(), "no workspace")
	assert.NotRegexp(t, `<a [^>]*></a>`, out.String())
}

func TestAWrongFilterIsExplainedOnce(t *testing.T) {
	s := serveSite(t, nil)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	for _, path := range []string{"/costs?from=yesterday", "/costs/records?from=yesterday", "/requests?from=yesterday", "/audit?from=yesterday"} {
		page := b.get(path)
		assert.Equal(t, 400, page.status, path)
		assert.Equal(t, 1, strings.Count(page.body, `class="wrong"`), path)
		for _, other := range []string{"Correct the marked fields", "match these filters", "There are no", "note bad"} {
			assert.NotContains(t, page.body, other, path)
		}
	}
}

func TestTheConsoleCallsTenantsWorkspaces(t *testing.T) {
	for said, shown := range map[string]string{
		"unknown tenant":                     "Unknown workspace.",
		"the tenant has no such key":         "The workspace has no such key.",
		"at most 3 tenants are allowed":      "At most 3 workspaces are allowed.",
		"somebody of one tenant named two":   "Somebody of one workspace named two.",
		"tenants[0].name: write a name":      "tenants[0].name: write a name.",
		"tenant_id is missing":               "tenant_id is missing.",
		"omit tenant_id, or name the tenant": "Omit tenant_id, or name the workspace.",
	} {
		assert.Equal(t, shown, capitalizeSentence(said))
	}
	s := serveSite(t, nil)
	b := s.signedIn(s.user("ada", auth.RoleOwner))
	assert.Contains(t, b.get("/workspaces/none").body, "Unknown workspace.")
	assert.NotContains(t, b.get("/workspaces").body, "tenant")
	assert.Contains(t, b.get("/workspaces").body, `<span class="spare">Change </span>colours<span class="spare"> (as the device)</span>`)
}
