package node

import (
	"context"
	"errors"
	"io"
	"sync"
	"sync/atomic"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	"github.com/headgate-dev/headgate/core/telemetry"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

func TestAConsentToACallIsBoundToAllOfIt(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		tel, err := telemetry.New(telemetry.Options{Out: io.Discard})
		require.NoError(t, err)
		a := newApprovals(db, tel)
		now := time.Now()
		a.now = func() time.Time { return now }
		exact := dsl.Call{Tenant: "t", Lineage: "key", Rule: "p/ask", Revision: "r1", Server: "crm", Tool: "erase", Digest: "d1"}
		id, page, err := a.RequestApproval(ctx, &exact)
		require.NoError(t, err)
		assert.Empty(t, page)
		again, _, err := a.RequestApproval(ctx, &exact)
		require.NoError(t, err)
		assert.Equal(t, id, again, "a call that is repeated asks once")
		ended, cancel := context.WithCancel(ctx)
		cancel()
		again, _, err = a.RequestApproval(ended, &exact)
		require.NoError(t, err, "it is remembered, so nothing is written")
		assert.Equal(t, id, again)
		_, ok := a.FindApprovedCall(&exact)
		assert.False(t, ok, "the request is still pending")
		_, err = db.Approvals().Decide(ctx, id, func(r *store.Approval) error {
			r.Status, r.ExpiresAt = store.ApprovalApproved, now.Add(time.Hour)
			return nil
		})
		require.NoError(t, err)
		require.NoError(t, a.refresh(ctx))
		got, ok := a.FindApprovedCall(&exact)
		assert.True(t, ok)
		assert.Equal(t, id, got)
		for name, change := range map[string]func(c *dsl.Call){
			"another tenant":          func(c *dsl.Call) { c.Tenant = "u" },
			"another key":             func(c *dsl.Call) { c.Lineage = "other" },
			"another rule":            func(c *dsl.Call) { c.Rule = "p/other" },
			"a changed policy":        func(c *dsl.Call) { c.Revision = "r2" },
			"another server":          func(c *dsl.Call) { c.Server = "erp" },
			"another tool":            func(c *dsl.Call) { c.Tool = "read" },
			"another argument":        func(c *dsl.Call) { c.Digest = "d2" },
			"no digest":               func(c *dsl.Call) { c.Digest = "" },
			"the parts cut elsewhere": func(c *dsl.Call) { c.Revision, c.Digest = "r1 d1", "" },
		} {
			other := exact
			change(&other)
			_, ok := a.FindApprovedCall(&other)
			assert.False(t, ok, name)
		}
		assert.False(t, a.IsApproved("t", "key", "p/ask", "mcp/crm/erase"), "it is not a consent to the model")
		now = now.Add(2 * time.Hour)
		_, ok = a.FindApprovedCall(&exact)
		assert.False(t, ok, "it has expired")
		now = now.Add(-2 * time.Hour)

		var spent atomic.Int32
		var wait sync.WaitGroup
		for range 8 {
			wait.Go(func() {
				switch err := a.ConsumeApproval(ctx, id, "x"); {
				case err == nil:
					spent.Add(1)
				case !errors.Is(err, tools.ErrSpent):
					assert.NoError(t, err)
				}
			})
		}
		wait.Wait()
		assert.Equal(t, int32(1), spent.Load(), "replays at the same time run once")
		_, ok = a.FindApprovedCall(&exact)
		assert.False(t, ok)
	})
}

func TestAConsentIsUsedUpOnAllNodesThatShareTheState(t *testing.T) {
	ctx := context.Background()
	tel, err := telemetry.New(telemetry.Options{Out: io.Discard})
	require.NoError(t, err)
	shared := state.NewMemory(state.Options{})
	c := dsl.Call{Tenant: "t", Lineage: "key", Rule: "p/ask", Revision: "r1", Server: "crm", Tool: "erase", Digest: "d1"}
	var nodes []*approvals
	for range 2 {
		db, err := store.Open(ctx, storetest.CopyMigrated(t))
		require.NoError(t, err)
		t.Cleanup(func() { _ = db.Close(context.Background()) })
		a := newApprovals(db, tel)
		a.shared = shared
		nodes = append(nodes, a)
	}
	id, _, err := nodes[0].RequestApproval(ctx, &c)
	require.NoError(t, err)
	asked, err := nodes[0].db.Approvals().Get(ctx, id)
	require.NoError(t, err)
	_, err = nodes[1].db.Approvals().AddRequest(ctx, asked) // as the control plane hands a copy to a node
	require.NoError(t, err)
	for _, a := range nodes {
		_, err = a.db.Approvals().Decide(ctx, id, func(r *store.Approval) error {
			r.Status, r.ExpiresAt = store.ApprovalApproved, time.Now().Add(time.Hour)
			return nil
		})
		require.NoError(t, err)
	}
	require.NoError(t, nodes[1].ConsumeApproval(ctx, id, "x"))
	require.ErrorIs(t, nodes[0].ConsumeApproval(ctx, id, "y"), tools.ErrSpent)
}
