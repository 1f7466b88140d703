package contract_test

import (
	"testing"

	"github.com/stretchr/testify/assert"
)

func TestEachRowHoldsOnSQLite(t *testing.T) {
	p := onSQLite(t, racingProgram)
	observed.at = p
	holds(t, p)
	t.Run("records with all their members", func(t *testing.T) { (&T{judge: t, place: p, variant: licensed}).completeRecords() })
	assert.Greater(t, observed.check(t), 70, "operations of the administrative API whose examples were compared with answers")
}

func TestEachRowHoldsOnPostgreSQL(t *testing.T) { holds(t, onPostgres(t)) }

// holds runs all rows in one place.
func holds(t *testing.T, p place) {
	t.Helper()
	wait := listAwaited(t)
	here := tests(t)
	for _, l := range lines(t) {
		test := here[l.id]
		if test == nil {
			continue // another test reports that
		}
		t.Run(l.id, func(t *testing.T) {
			why, waits := wait[l.id]
			if !waits {
				test(&T{judge: t, place: p, variant: licensed})
				return
			}
			failed, said := attempt(t, &T{place: p, variant: licensed}, l.id, test)
			assert.True(t, failed, "the row holds: take it out of awaited.tsv")
			t.Skipf("awaited: %s\n%s", why, said)
		})
	}
}

func TestNoRowHoldsOnAServerThatAnswersNothing(t *testing.T) {
	p := onBlank(t)
	for id, test := range tests(t) {
		t.Run(id, func(t *testing.T) {
			failed, _ := attempt(t, &T{place: p, variant: licensed}, id, test)
			assert.True(t, failed, "the test of this row passes against a server that answers 200 {} to everything")
		})
	}
}

// completeRecords sends records with the members that no row sets, so that examples are compared with whole answers.
func (t *T) completeRecords() {
	t.Helper()
	t.owner().post(pricing, m{
		"model": t.name("m"), "provider": "mock", "inputPricePerMillion": 2, "outputPricePerMillion": 8, "cachedInputPricePerMillion": 1,
		"cacheWritePricePerMillion": 3, "reasoningPricePerMillion": 8, "batchPercent": 50,
	}).is(201)
	t.owner().post(routes, m{"model_pattern": t.name("m"), "other_regions": true, "providers": []m{{"provider": "mock"}}}).is(201)
	tenant := t.id(t.owner().post(tenants, m{
		"name": t.name("t"), "key_template": m{"models": []string{"mock-*"}, "days": 90, "keys": 3, "monthly_usd": 20},
	}).is(201).object())
	t.owner().post(keysOf(tenant), m{"name": "k", "models": []string{"mock-*"}}).is(201)
	dsl := "version: 1\nname: whole\nrules:\n" +
		"  - {id: flag, action: FLAG, params: {severity: low}}\n" +
		"  - {id: warn, action: WARN_AGENT, params: {message: beware}}\n" +
		"  - {id: cap, action: CAP_TOKENS, params: {max_tokens: 5}}\n" +
		"  - {id: redact, action: REDACT, params: {types: [EMAIL]}}\n" +
		"  - {id: route, action: ROUTE, params: {provider: mock, keep_if_unavailable: true}}\n"
	t.owner().post(policies+"/dry-run", m{"dsl": dsl, "model": "mock-echo"}).is(200)
}
