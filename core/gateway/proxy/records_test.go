package proxy_test

import (
	"context"
	"encoding/json"
	"slices"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

// record is an audit record, read.
type record struct {
	kind, tenant, raw string
	payload           map[string]any
}

// records gives the audit records of exchanges, oldest first.
func (g *gate) records() (out []record) {
	g.t.Helper()
	require.NoError(g.t, g.log.Sync(context.Background()))
	err := g.db.Audit().Visit(context.Background(), store.AuditFilter{}, func(r *store.AuditRecord) error {
		if strings.HasPrefix(r.Type, "CHAIN_") {
			return nil
		}
		n := record{kind: r.Type, tenant: r.Tenant, raw: r.Payload}
		assert.Empty(g.t, audit.ListUnknown(r.Type, []byte(r.Payload)), "docs/audit.md lists every field")
		out = append(out, n)
		return json.Unmarshal([]byte(r.Payload), &out[len(out)-1].payload)
	})
	require.NoError(g.t, err)
	slices.Reverse(out)
	return out
}

// pair gives the two records of the only exchange so far. An exchange settles
// after its answer, so they may take a moment.
func (g *gate) pair() (request, response map[string]any) {
	g.t.Helper()
	var all []record
	require.Eventually(g.t, func() bool {
		all = slices.DeleteFunc(g.records(), func(r record) bool { return r.kind == audit.PIIRedacted })
		return len(all) >= 2
	}, generous, 5*time.Millisecond)
	require.Len(g.t, all, 2)
	require.Equal(g.t, audit.GatewayRequest, all[0].kind)
	require.Equal(g.t, audit.GatewayResponse, all[1].kind)
	return all[0].payload, all[1].payload
}

// outcome waits until the only exchange so far has settled, and gives its
// RESPONSE record. It checks that there are two records and one of usage.
func (g *gate) outcome() map[string]any {
	g.t.Helper()
	_, res := g.pair()
	var u meter.Totals
	require.Eventually(g.t, func() bool { u = g.usage(); return u.Records >= 1 }, generous, 5*time.Millisecond)
	assert.EqualValues(g.t, 1, u.Records, "one usage record for each exchange")
	return res
}

// awaitCost waits until what has been booked costs so much: an exchange is booked after its client has its last event.
func (g *gate) awaitCost(want int64) {
	g.t.Helper()
	require.Eventually(g.t, func() bool { return g.usage().Cost >= want }, generous, 5*time.Millisecond, "%d", want)
	require.Equal(g.t, want, g.usage().Cost)
}

func (g *gate) usage() meter.Totals {
	g.t.Helper()
	require.NoError(g.t, g.w.Sync(context.Background()))
	u, err := g.m.ReadTotals(context.Background(), meter.Filter{})
	require.NoError(g.t, err)
	return u
}

// errorOf reads an error body of the shape.
func errorOf(t testing.TB, a answer) map[string]any {
	t.Helper()
	var v struct {
		Error map[string]any `json:"error"`
	}
	require.NoError(t, json.Unmarshal([]byte(a.body), &v), "%s", a.body)
	require.NotNil(t, v.Error, a.body)
	assert.Equal(t, "application/json", a.header.Get("Content-Type"))
	assert.NotEmpty(t, a.header.Get("X-Trace-Id"))
	return v.Error
}
