package store_test

import (
	"context"
	"crypto/sha256"
	"fmt"
	"iter"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// request is one for a rule, of a requester and about a model.
func request(tenant, rule, requester, model string, ends time.Time) store.Approval {
	text := fmt.Sprintf(`{"model":%q,"rule":%q}`, model, rule)
	return store.Approval{
		ID: tenant + rule + requester + model, Kind: "policy", TenantID: tenant, Scope: rule, Requester: requester, Subject: text,
		Digest: sha256.Sum256([]byte(tenant + requester + text)), CreatedAt: ends.Add(-time.Hour), ExpiresAt: ends,
	}
}

func TestTheQueueOfARuleTakesSoManyRequests(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx, ends := context.Background(), time.Now().Add(time.Hour)
		ask := func(tenant, rule, requester, model string) error {
			_, err := db.Approvals().AddRequest(ctx, request(tenant, rule, requester, model, ends))
			return err
		}
		for i := range 20 {
			require.NoError(t, ask("t", "r", "one", fmt.Sprint("m", i)))
		}
		require.ErrorIs(t, ask("t", "r", "one", "more"), store.ErrQueueFull)
		require.NoError(t, ask("t", "r", "one", "m3"), "what is asked for already is not asked again")
		require.NoError(t, ask("t", "r", "two", "more"), "another requester")
		require.NoError(t, ask("t", "s", "one", "more"), "another rule")
		require.NoError(t, ask("u", "r", "one", "more"), "another tenant")
		var list []store.Approval
		for i := range 300 {
			list = append(list, request("t", "r", fmt.Sprint("key", i), "m", ends))
		}
		left, err := db.Approvals().Import(ctx, list)
		require.NoError(t, err)
		assert.Equal(t, 300-(200-21), left)
		again, err := db.Approvals().Import(ctx, list[:100])
		require.NoError(t, err)
		assert.Zero(t, again, "a batch that comes twice")
		require.ErrorIs(t, ask("t", "r", "two", "again"), store.ErrQueueFull)
		for a, err := range db.Approvals().Iterate(ctx, "t", store.ApprovalPending, store.Cursor{}, 1) {
			require.NoError(t, err)
			_, err = db.Approvals().Decide(ctx, a.ID, func(a *store.Approval) error { a.Status = store.ApprovalDenied; return nil })
			require.NoError(t, err)
		}
		require.NoError(t, ask("t", "r", "two", "again"), "one that is decided makes room")
	})
}

func TestRequestsWhoseTimeIsOverMakeRoomAndAreRemovedLater(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		ctx, now := context.Background(), time.Now()
		db := storetest.Open(t, url, store.WithClock(func() time.Time { return now }))
		give := func(id string) {
			_, err := db.Approvals().Decide(ctx, id, func(a *store.Approval) error { a.Status = store.ApprovalApproved; return nil })
			require.NoError(t, err)
		}
		for i := range 20 {
			_, err := db.Approvals().AddRequest(ctx, request("t", "r", "one", fmt.Sprint("m", i), now.Add(time.Hour)))
			require.NoError(t, err)
		}
		long := request("t", "r", "two", "m", now.Add(48*time.Hour))
		_, err := db.Approvals().AddRequest(ctx, long)
		require.NoError(t, err)
		give(long.ID)
		before, err := db.Config().ReadVersion(ctx)
		require.NoError(t, err)
		now = now.Add(2 * time.Hour)
		fresh := request("t", "r", "one", "m20", now.Add(time.Hour))
		_, err = db.Approvals().AddRequest(ctx, fresh)
		require.NoError(t, err)
		gone, err := db.Approvals().Trim(ctx, now.Add(-2*time.Hour))
		require.NoError(t, err)
		assert.Zero(t, gone)
		gone, err = db.Approvals().Trim(ctx, now)
		require.NoError(t, err)
		assert.EqualValues(t, 20, gone)
		var left []string
		for a, err := range db.Approvals().ListConsents(ctx, "policy") {
			require.NoError(t, err)
			left = append(left, a.ID)
		}
		assert.Equal(t, []string{long.ID}, left)
		_, err = db.Approvals().Get(ctx, fresh.ID)
		require.NoError(t, err)
		after, err := db.Config().ReadVersion(ctx)
		require.NoError(t, err)
		assert.Equal(t, before, after, "no gateway has to reload")
		now = now.Add(72 * time.Hour)
		for a, err := range db.Approvals().ListConsents(ctx, "policy") {
			require.NoError(t, err)
			t.Errorf("a consent that has ended is listed: %s", a.ID)
		}
	})
}

func TestTheQueueListsWhatWaitsAndTheRestTheNewestFirst(t *testing.T) {
	storetest.RunWithBothURLs(t, func(t *testing.T, url string) {
		ctx, now := context.Background(), time.Now().Truncate(time.Microsecond)
		db := storetest.Open(t, url, store.WithClock(func() time.Time { return now }))
		for i := range 6 {
			_, err := db.Approvals().AddRequest(ctx, request("t", "r", "one", fmt.Sprint("m", i), now.Add(time.Duration(10-i)*time.Hour)))
			require.NoError(t, err)
			now = now.Add(time.Second)
		}
		_, err := db.Approvals().Decide(ctx, "tronem0", func(a *store.Approval) error {
			a.Status, a.Note = store.ApprovalDenied, "not now"
			return nil
		})
		require.NoError(t, err)
		now = now.Add(5 * time.Hour) // the last of them has ended
		ids := func(list iter.Seq2[store.Approval, error]) (out []string) {
			for a, err := range list {
				require.NoError(t, err)
				out = append(out, a.ID)
			}
			return out
		}
		assert.Equal(t, []string{"tronem1", "tronem2", "tronem3", "tronem4"}, ids(db.Approvals().ListWaiting(ctx, store.Cursor{}, 0)))
		assert.Equal(t, []string{"tronem5", "tronem0"}, ids(db.Approvals().ListPast(ctx, store.Cursor{}, 0)))
		m2, err := db.Approvals().Get(ctx, "tronem2")
		require.NoError(t, err)
		assert.Equal(t, []string{"tronem3"}, ids(db.Approvals().ListWaiting(ctx, store.Cursor{At: m2.CreatedAt, ID: m2.ID}, 1)))
		m5, err := db.Approvals().Get(ctx, "tronem5")
		require.NoError(t, err)
		assert.Equal(t, []string{"tronem0"}, ids(db.Approvals().ListPast(ctx, store.Cursor{At: m5.CreatedAt, ID: m5.ID}, 1)))
		m0, err := db.Approvals().Get(ctx, "tronem0")
		require.NoError(t, err)
		assert.Equal(t, "not now", m0.Note)
	})
}

func TestARequestForApprovalIsReportedOnce(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx, ends := t.Context(), time.Now().Add(time.Hour)
		_, err := db.Webhooks().Insert(ctx, store.Webhook{
			ID: "w", Name: "w", URL: "https://example.com", Format: "headgate", Enabled: true,
			EventTypes: []string{"APPROVAL_REQUESTED"}, Secrets: store.Secrets{Secret: []byte("x")},
		})
		require.NoError(t, err)
		for range 2 {
			again := request("t", "r", "one", "m", ends)
			again.ID = fmt.Sprint("id", again.ID, time.Now().UnixNano())
			_, err := db.Approvals().AddRequest(ctx, again)
			require.NoError(t, err)
		}
		list, err := db.Outbox().List(ctx, store.DeliveryFilter{})
		require.NoError(t, err)
		require.Len(t, list, 1)
		assert.Equal(t, "APPROVAL_REQUESTED", list[0].EventType)
		assert.Equal(t, "t", list[0].Tenant)
	})
}
