package policy

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
)

// The link that records imply takes part only if there is a policy: not without one, not for other tenants, and not for
// drafts.
func TestAnImpliedLinkTakesPartWhereThereIsAPolicy(t *testing.T) {
	at := func(status, tenant string) []policydoc.Record {
		return []policydoc.Record{{ID: "p", Name: "p", DSL: rule(`{id: f, action: FLAG}`), Status: status, Tenant: tenant, Version: 1}}
	}
	for _, c := range []struct {
		name          string
		records       []policydoc.Record
		idle          bool
		anna, unknown bool
	}{
		{"no policy", nil, true, false, false},
		{"a draft", at(policydoc.Draft, ""), true, false, false},
		{"active", at(policydoc.Active, ""), false, true, true},
		{"in shadow", at(policydoc.Shadow, ""), false, true, true},
		{"of the tenant", at(policydoc.Active, anna.Tenant), false, true, false},
		{"of another tenant", at(policydoc.Active, "t-b"), false, false, false},
	} {
		t.Run(c.name, func(t *testing.T) {
			src := &source{}
			made, err := New(nil, Deps{Policies: src})
			require.NoError(t, err)
			st := made.(*Stage)
			defer func() { require.NoError(t, st.Close(t.Context())) }()
			require.NoError(t, st.applyRecords(c.records))
			implied := st.ForRecords().(core.ConditionalStage)
			assert.Equal(t, c.idle, implied.(interface{ IsIdle() bool }).IsIdle())
			assert.Equal(t, c.anna, implied.Applies(&core.Exchange{Principal: anna}))
			assert.Equal(t, c.unknown, implied.Applies(&core.Exchange{}))
			assert.Equal(t, c.name == "in shadow", st.queue != nil, "only shadows need a queue")
			assert.Zero(t, testing.AllocsPerRun(100, func() { implied.Applies(&core.Exchange{Principal: anna}) }))
		})
	}
}
