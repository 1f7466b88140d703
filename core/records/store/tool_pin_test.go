package store_test

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

func TestAPinKeepsBothDefinitionsUntilSomebodyDecides(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		ps := db.ToolPins()
		offer := func(digest string, required bool) (store.ToolPin, bool) {
			p, drifted, err := ps.Record(ctx, &store.OfferedTool{
				Server: "s", Tool: "find", Digest: digest, Definition: `{"d":"` + digest + `"}`, Required: required,
			})
			require.NoError(t, err)
			return p, drifted
		}
		version := func() int64 {
			v, err := db.Config().ReadVersion(ctx)
			require.NoError(t, err)
			return v
		}
		began := version()
		p, drifted := offer("a", false)
		assert.False(t, drifted)
		assert.Equal(t, pins.Pin{State: pins.Pinned, Digest: "a"}, p.Pin)
		assert.Equal(t, began+1, version(), "other processes learn of it")
		_, _ = offer("a", false)
		assert.Equal(t, began+1, version(), "nothing has changed")
		p, drifted = offer("b", false)
		assert.True(t, drifted)
		assert.Equal(t, `{"d":"a"}`, p.Definition)
		assert.Equal(t, `{"d":"b"}`, p.OfferedDefinition)
		assert.False(t, p.DriftedAt.IsZero())
		p, drifted = offer("c", false)
		assert.False(t, drifted, "it was in quarantine already")
		assert.Equal(t, "c", p.Offered)
		_, _, err := ps.Decide(ctx, "s/find", "b", true, "user:x")
		require.ErrorIs(t, err, pins.ErrDigest, "an unseen definition cannot be approved")
		_, _, err = ps.Decide(ctx, "s/none", "b", true, "user:x")
		require.ErrorIs(t, err, store.ErrNotFound)
		before, now, err := ps.Decide(ctx, "s/find", "c", true, "user:x")
		require.NoError(t, err)
		assert.Equal(t, "a", before.Digest)
		assert.Equal(t, pins.Pin{State: pins.Pinned, Digest: "c"}, now.Pin)
		kept, err := ps.Get(ctx, "s/find")
		require.NoError(t, err)
		assert.Equal(t, now, kept)
		assert.Equal(t, `{"d":"c"}`, kept.Definition)
		assert.Equal(t, "user:x", kept.DecidedBy)
		_, _ = offer("d", false)
		_, now, err = ps.Decide(ctx, "s/find", "d", false, "user:y")
		require.NoError(t, err)
		assert.Equal(t, pins.Rejected, now.State)
		p, _ = offer("c", false)
		assert.Equal(t, pins.Pin{State: pins.Pinned, Digest: "c"}, p.Pin)
		assert.Equal(t, `{"d":"c"}`, p.Definition)
		_, _, err = ps.Decide(ctx, "s/find", "c", true, "user:x")
		require.ErrorIs(t, err, pins.ErrDecided)
		for p, err := range ps.ListAll(ctx) {
			require.NoError(t, err)
			assert.Equal(t, "c", p.Digest)
			assert.Empty(t, p.OfferedDefinition, "lists leave it out")
		}
	})
}

func TestAToolThatNeedsAnApprovalWaitsForIt(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		p, drifted, err := db.ToolPins().Record(ctx, &store.OfferedTool{Server: "s", Tool: "find", Digest: "a", Definition: "{}", Required: true})
		require.NoError(t, err)
		assert.True(t, drifted)
		assert.Equal(t, pins.Pin{State: pins.New, Offered: "a"}, p.Pin)
		_, now, err := db.ToolPins().Decide(ctx, "s/find", "a", true, "cli")
		require.NoError(t, err)
		assert.Equal(t, pins.Pin{State: pins.Pinned, Digest: "a"}, now.Pin)
		assert.Equal(t, "{}", now.Definition)
	})
}

func TestTheStoreKeepsALimitedNumberOfPinsOfOneServer(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		record := func(server, tool string) error {
			_, _, err := db.ToolPins().Record(ctx, &store.OfferedTool{Server: server, Tool: tool, Digest: "d", Definition: "{}"})
			return err
		}
		for i := range pins.MaxTools {
			require.NoError(t, record("hostile", fmt.Sprint("t", i)))
		}
		assert.ErrorIs(t, record("hostile", "more"), pins.ErrFull)
		assert.NoError(t, record("hostile", "t0"), "it is known")
		assert.NoError(t, record("honest", "find"))
	})
}
