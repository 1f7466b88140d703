package node

import (
	"context"
	"fmt"
	"io"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	"github.com/headgate-dev/headgate/core/telemetry"
)

func TestConsentsAreTakenUpByChange(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		tel, err := telemetry.New(telemetry.Options{Out: io.Discard})
		require.NoError(t, err)
		a := newApprovals(db, tel)
		now := time.Now()
		a.now = func() time.Time { return now }
		version, err := db.Config().ReadVersion(ctx)
		require.NoError(t, err)
		take := func() {
			c, err := readChanges(ctx, db, version)
			require.NoError(t, err)
			require.False(t, c.all)
			require.NoError(t, a.change(ctx, c))
			version = c.version
		}
		ask := func(model string) string {
			require.NoError(t, a.write(ctx, consent{tenant: "t", lineage: "line", rule: "p/r", model: model}))
			for r, err := range db.Approvals().Iterate(ctx, "t", store.ApprovalPending, store.Cursor{}, 0) {
				require.NoError(t, err)
				return r.ID
			}
			return ""
		}
		give := func(id, status string) {
			_, err := db.Approvals().Decide(ctx, id, func(r *store.Approval) error {
				r.Status, r.ExpiresAt = status, now.Add(time.Hour)
				return nil
			})
			require.NoError(t, err)
			take()
		}
		first := ask("m1")
		give(first, store.ApprovalApproved)
		assert.True(t, a.IsApproved("t", "line", "p/r", "m1"))
		give(ask("m2"), store.ApprovalApproved)
		assert.True(t, a.IsApproved("t", "line", "p/r", "m1"), "unchanged approvals stay")
		assert.True(t, a.IsApproved("t", "line", "p/r", "m2"))
		give(ask("m3"), store.ApprovalDenied)
		assert.False(t, a.IsApproved("t", "line", "p/r", "m3"))
		whole := newApprovals(db, tel)
		require.NoError(t, whole.refresh(ctx))
		assert.Equal(t, *whole.given.Load(), *a.given.Load())
		give(first, store.ApprovalDenied)
		assert.False(t, a.IsApproved("t", "line", "p/r", "m1"))
		now = now.Add(2 * time.Hour)
		assert.False(t, a.IsApproved("t", "line", "p/r", "m2"))
		give(ask("m4"), store.ApprovalApproved)
		assert.Len(t, *a.given.Load(), 1, "expired approvals are dropped")
	})
}

func TestARequestThatIsTriedOftenIsWrittenOnce(t *testing.T) {
	a := &approvals{recent: map[consent]time.Time{}}
	now := time.Now()
	a.now = func() time.Time { return now }
	c := consent{tenant: "t", lineage: "line", rule: "p/r", model: "m"}
	assert.False(t, a.wasRequested(c))
	assert.True(t, a.wasRequested(c))
	now = now.Add(askedAgain)
	assert.False(t, a.wasRequested(c))
	now = now.Add(-2 * askedAgain) // the clock is set back
	assert.False(t, a.wasRequested(c))
	for i := range 2 * recentMost {
		a.wasRequested(consent{tenant: "t", lineage: "line", rule: "p/r", model: fmt.Sprint(i)})
	}
	assert.LessOrEqual(t, len(a.recent), recentMost)
}
