package policies_test

import (
	"context"
	"fmt"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/stages/policy"
)

const denies = "version: 1\nrules:\n  - {id: no, conditions: {model.denylist: [\"gpt-*\"]}, action: DENY, deny_message: \"No.\"}\n"

type office struct {
	*policies.Service
	t        *testing.T
	db       *store.DB
	promoted []string
}

// open opens a service with the real language on a real store.
func open(t *testing.T) *office {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite::memory:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close(ctx)) })
	o, n := &office{t: t, db: db}, 0
	o.Service = policies.New(policies.Options{
		Store: db, Language: policy.Language{Now: time.Now},
		NewID: func() string { n++; return fmt.Sprint("p", n) },
		File: func() []policydoc.Record {
			return []policydoc.Record{{ID: "filed", Name: "filed", DSL: denies, Status: policydoc.Draft}}
		},
		Mutated: func(_ context.Context, p policydoc.Record) { o.promoted = append(o.promoted, p.ID) },
	})
	return o
}

func (o *office) create(name, dsl string) policydoc.Record {
	o.t.Helper()
	p, err := o.Create(context.Background(), policies.Fields{Name: &name, DSL: &dsl}, store.SourceAPI)
	require.NoError(o.t, err)
	return p
}

// checkRefusal checks the status and the text of a refusal.
func checkRefusal(t *testing.T, err error, status int, says string) {
	t.Helper()
	var e *core.Error
	require.ErrorAs(t, err, &e)
	assert.Equal(t, status, e.HTTPStatus())
	assert.Contains(t, e.Public, says)
}

func TestAPolicyIsMadeChangedAndRolledBack(t *testing.T) {
	ctx, o := context.Background(), open(t)
	before, err := o.db.Config().ReadVersion(ctx)
	require.NoError(t, err)
	p := o.create("first", denies)
	assert.Equal(t, policydoc.Draft, p.Status)
	assert.Equal(t, int64(1), p.Version)
	after, err := o.db.Config().ReadVersion(ctx)
	require.NoError(t, err)
	assert.Greater(t, after, before, "the configuration version advances")

	other := strings.ReplaceAll(denies, "gpt", "claude")
	name := "second"
	p, err = o.Update(ctx, p.ID, policies.Fields{DSL: &other, Name: &name})
	require.NoError(t, err)
	assert.Equal(t, int64(2), p.Version)
	_, err = o.SetStatus(ctx, p.ID, policydoc.Active)
	require.NoError(t, err)
	p, err = o.Rollback(ctx, p.ID, 1)
	require.NoError(t, err)
	assert.Equal(t, [4]any{int64(3), "first", denies, policydoc.Active}, [4]any{p.Version, p.Name, p.DSL, p.Status})
	list, err := o.ListVersions(ctx, p.ID)
	require.NoError(t, err)
	require.Len(t, list, 3)
	assert.Equal(t, [3]int64{3, 2, 1}, [3]int64{list[0].Version, list[1].Version, list[2].Version})
	assert.Equal(t, "second", list[1].Name)

	_, err = o.Rollback(ctx, p.ID, 9)
	checkRefusal(t, err, 404, "no version 9")
	require.NoError(t, o.Delete(ctx, p.ID))
	_, err = o.Get(ctx, p.ID)
	checkRefusal(t, err, 404, "unknown policy")
	_, err = o.ListVersions(ctx, p.ID)
	checkRefusal(t, err, 404, "unknown policy")
	checkRefusal(t, o.Delete(ctx, p.ID), 404, "unknown policy")
}

func TestAtLeastTenVersionsAreKept(t *testing.T) {
	ctx, o := context.Background(), open(t)
	p := o.create("p", denies)
	for range 60 {
		d := "again"
		_, err := o.Update(ctx, p.ID, policies.Fields{Description: &d})
		require.NoError(t, err)
	}
	list, err := o.ListVersions(ctx, p.ID)
	require.NoError(t, err)
	assert.Len(t, list, 50)
	assert.Equal(t, int64(61), list[0].Version)
}

func TestATextWithFaultsIsNotSaved(t *testing.T) {
	ctx, o := context.Background(), open(t)
	for dsl, says := range map[string]string{
		"rules: [{id: a, conditions: {x: 1}, action: DENY}]":                                  "UNKNOWN_CONDITION",
		"rules: [{id: a, action: DENY}, {id: a, action: DENY}]":                               "DUPLICATE_RULE_ID",
		"rules: [{id: a, phase: request, conditions: {response.tokens_gt: 1}, action: DENY}]": "STAGE_CONFLICT",
		"a: [": "not valid YAML",
	} {
		name := "p"
		_, err := o.Create(ctx, policies.Fields{Name: &name, DSL: &dsl}, store.SourceAPI)
		checkRefusal(t, err, 400, says)
	}
	good := denies
	_, err := o.Create(ctx, policies.Fields{DSL: &good}, store.SourceAPI)
	checkRefusal(t, err, 400, "needs a name")
	p, bad := o.create("p", denies), "rules: 5"
	_, err = o.Update(ctx, p.ID, policies.Fields{DSL: &bad})
	checkRefusal(t, err, 400, "must be a list")
	p, err = o.Get(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, int64(1), p.Version)
}

func TestOnlyAShadowIsPromoted(t *testing.T) {
	ctx, o := context.Background(), open(t)
	p := o.create("p", denies)
	for _, status := range []string{policydoc.Draft, policydoc.Active, policydoc.Archived} {
		_, err := o.SetStatus(ctx, p.ID, status)
		require.NoError(t, err)
		_, err = o.Promote(ctx, p.ID)
		checkRefusal(t, err, 400, "this one is "+status)
	}
	assert.Empty(t, o.promoted)
	_, err := o.SetStatus(ctx, p.ID, policydoc.Shadow)
	require.NoError(t, err)
	now := time.Now()
	events := []policydoc.ShadowEvent{
		{
			Policy:     p.ID,
			Rule:       "no",
			Request:    "r1",
			Active:     "ALLOWED",
			Shadow:     "DENIED",
			Diverged:   true,
			Divergence: "shadow_deny_active_allow",
			At:         now,
		},
		{
			Policy:     p.ID,
			Rule:       "no",
			Request:    "r2",
			Active:     "ALLOWED",
			Shadow:     "DENIED",
			Diverged:   true,
			Divergence: "shadow_deny_active_allow",
			At:         now.Add(-2 * time.Hour),
		},
		{Policy: p.ID, Request: "r3", Active: "ALLOWED", Shadow: "ALLOWED", At: now},
	}
	require.NoError(t, o.db.ShadowEvents().Insert(ctx, events))
	stats, err := o.CountShadowDecisions(ctx, p.ID, "", "", now)
	require.NoError(t, err)
	assert.Equal(t, &policies.Stats{
		PolicyID: p.ID, Period: "24h", Total: 3, Divergent: 2, Rate: 2.0 / 3,
		ByRule: []policies.RuleStat{{RuleID: "no", Count: 2, Divergence: "shadow_deny_active_allow"}},
	}, stats)
	stats, err = o.CountShadowDecisions(ctx, p.ID, "", "1h", now)
	require.NoError(t, err)
	assert.Equal(t, int64(1), stats.Divergent)
	_, err = o.CountShadowDecisions(ctx, p.ID, "", "2h", now)
	checkRefusal(t, err, 400, "not one of 1h, 24h and 7d")
	list, err := o.ListShadowEvents(ctx, p.ID, "", true, 1)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "r2", list[0].Request, "the newest first")
	list, err = o.ListShadowEvents(ctx, p.ID, "", false, 0)
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "r3", list[0].Request)
	_, err = o.ListShadowEvents(ctx, p.ID, "", true, -1)
	checkRefusal(t, err, 400, "limit")

	a, err := o.Promote(ctx, p.ID)
	require.NoError(t, err)
	assert.Equal(t, policydoc.Active, a.Policy.Status)
	assert.Equal(t, int64(2), a.Policy.Version)
	assert.Equal(t, []string{p.ID}, o.promoted)
	require.NoError(t, o.db.ShadowEvents().Insert(ctx, events), "what comes late")
	stats, err = o.CountShadowDecisions(ctx, p.ID, "", "7d", now)
	require.NoError(t, err)
	assert.Zero(t, stats.Total)
}

func TestActivationTellsConflictsAndIsNotStopped(t *testing.T) {
	ctx, o := context.Background(), open(t)
	wide := o.create("wide", strings.ReplaceAll(denies, "gpt-*", "gpt*"))
	a, err := o.SetStatus(ctx, wide.ID, policydoc.Active)
	require.NoError(t, err)
	assert.Empty(t, a.Issues)
	p := o.create("narrow", denies)
	a, err = o.SetStatus(ctx, p.ID, policydoc.Active)
	require.NoError(t, err)
	assert.Equal(t, policydoc.Active, a.Policy.Status)
	require.Len(t, a.Warnings(), 1)
	assert.Regexp(t, `^SHADOWED_RULE: rule narrow/no has no effect`, a.Warnings()[0])
	_, err = o.SetStatus(ctx, p.ID, "ON")
	checkRefusal(t, err, 400, "DRAFT, ACTIVE, SHADOW and ARCHIVED")
	_, err = o.SetStatus(ctx, "nobody", policydoc.Active)
	checkRefusal(t, err, 404, "unknown policy")
}

func TestConflictsAreToldOfAPolicyWhoseTextHasAnotherName(t *testing.T) {
	o := open(t)
	ctx := context.Background()
	_, err := o.SetStatus(
		ctx,
		o.create("first", "name: only-gpt\nrules: [{id: a, conditions: {model.allowlist: [\"gpt-*\"]}, action: DENY}]\n").ID,
		policydoc.Active,
	)
	require.NoError(t, err)
	a, err := o.SetStatus(
		ctx,
		o.create("second", "name: only-claude\nrules: [{id: b, conditions: {model.allowlist: [\"claude-*\"]}, action: DENY}]\n").ID,
		policydoc.Active,
	)
	require.NoError(t, err)
	require.Len(t, a.Issues, 1)
	assert.Equal(t, "ALLOWLISTS_DISJOINT", a.Issues[0].Code)
	a, err = o.SetStatus(ctx, o.create("third", "rules: [{id: c, conditions: {tenant.in: [unused]}, action: FLAG}]\n").ID, policydoc.Active)
	require.NoError(t, err)
	assert.Empty(t, a.Issues, "what was at odds before is not its doing")
}

func TestPoliciesOfTheFileAreListedAndNotChanged(t *testing.T) {
	ctx, o := context.Background(), open(t)
	list, err := o.List(ctx, "")
	require.NoError(t, err)
	require.Len(t, list, 1)
	assert.Equal(t, "filed", list[0].ID)
	list, err = o.List(ctx, "t")
	require.NoError(t, err)
	assert.Empty(t, list)
	_, err = o.Update(ctx, "filed", policies.Fields{})
	checkRefusal(t, err, 409, "configuration file")
	_, err = o.SetStatus(ctx, "filed", policydoc.Active)
	checkRefusal(t, err, 409, "configuration file")
	_, err = o.Promote(ctx, "filed")
	checkRefusal(t, err, 409, "configuration file")
	checkRefusal(t, o.Delete(ctx, "filed"), 409, "configuration file")
}

func TestADryRunKnowsTheTenant(t *testing.T) {
	ctx, o := context.Background(), open(t)
	_, err := o.db.Tenants().Upsert(
		ctx,
		store.Tenant{ID: "t", Name: "T", Status: "active", Metadata: map[string]any{"plan": "free"}, Source: store.SourceAPI},
	)
	require.NoError(t, err)
	r, err := o.DryRun(
		ctx,
		policydoc.DryRun{
			DSL:    "rules: [{id: a, conditions: {tenant.metadata: {plan: free}}, action: DENY, deny_message: Pay.}]",
			Tenant: "t",
			Model:  "m",
		},
	)
	require.NoError(t, err)
	assert.Equal(t, [3]string{"DENIED", "a", "Pay."}, [3]string{r.Status, r.RuleID, r.Reason})
	assert.NotEmpty(t, r.Trace)
	r, err = o.DryRun(ctx, policydoc.DryRun{DSL: "rules: [{id: a, conditions: {tokens.prompt_gt: 5}, action: DENY}]", Tenant: "t", Model: "m"})
	require.NoError(t, err)
	assert.Equal(t, "UNDETERMINED", r.Status)
	assert.Equal(t, []string{"tokens.prompt"}, r.Unknown)
	r, err = o.DryRun(ctx, policydoc.DryRun{
		DSL: denies, Tenant: "t", Model: "m",
		Cases: []any{map[string]any{"id": "c", "context": map[string]any{"model": "gpt-5"}, "expected": map[string]any{"decision": "ALLOWED"}}},
	})
	require.NoError(t, err)
	require.Len(t, r.Cases, 1)
	assert.Equal(t, []string{"decision: expected ALLOWED, got DENIED"}, r.Cases[0].Faults)
	_, err = o.DryRun(ctx, policydoc.DryRun{DSL: "x: ["})
	checkRefusal(t, err, 400, "not valid YAML")
	_, err = o.DryRun(ctx, policydoc.DryRun{DSL: denies, Context: map[string]any{"nonsense": 1}})
	checkRefusal(t, err, 400, "nonsense")
}

func TestThePoliciesOfTheFileOutliveASearchForConflicts(t *testing.T) {
	filed := []policydoc.Record{{ID: "filed", Name: "filed", Status: policydoc.Draft, DSL: "version: 1\nrules: [{id: a, action: DENY}]"}}
	o := open(t)
	o.File = func() []policydoc.Record { return filed }
	_, err := o.FindConflicts(t.Context())
	require.NoError(t, err)
	assert.Equal(t, "filed", filed[0].ID)
}

func TestATextIsTriedAgainstWhatIsActive(t *testing.T) {
	o := open(t)
	p := o.create("no", denies)
	_, err := o.SetStatus(t.Context(), p.ID, policydoc.Active)
	require.NoError(t, err)
	lead := policydoc.Record{
		Name: "lead",
		DSL:  "version: 1\nrules:\n  - {id: lead, conditions: {model.in: [m]}, action: ROUTE, params: {model: gpt-4}}\n",
	}
	c, err := o.CheckActivation(t.Context(), lead)
	require.NoError(t, err)
	assert.Empty(t, c.Issues)
	require.Len(t, c.Conflicts, 1)
	assert.Equal(t, "ROUTE_TARGET_DENIED", c.Conflicts[0].Code)
	assert.NotEmpty(t, c.Conflicts[0].Witness)
	lead.DSL = "version: 1\nrules:\n  - {id: lead, conditions: {modle.in: [m]}, action: DENY}\n"
	c, err = o.CheckActivation(t.Context(), lead)
	require.NoError(t, err)
	require.Len(t, c.Issues, 1)
	assert.Equal(t, []int{3, 29}, []int{c.Issues[0].Line, c.Issues[0].Column})
	assert.Empty(t, c.Conflicts)
	all, err := o.List(t.Context(), "")
	require.NoError(t, err)
	assert.Len(t, all, 2, "nothing is stored")
}
