package store

import (
	"context"
	"crypto/sha256"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestWhatIsUsedOnceIsUsedOnce(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		v, a, b := version(t, db), sha256.Sum256([]byte("a")), sha256.Sum256([]byte("b"))
		require.NoError(t, db.Sessions().ConsumeToken(ctx, a, now.Add(time.Hour)))
		require.ErrorIs(t, db.Sessions().ConsumeToken(ctx, a, now.Add(time.Hour)), ErrExists)
		require.NoError(t, db.Sessions().ConsumeToken(ctx, b, now.Add(time.Minute)))
		now = now.Add(time.Minute)
		_, err := db.Sessions().Sweep(ctx)
		require.NoError(t, err)
		require.ErrorIs(t, db.Sessions().ConsumeToken(ctx, a, now.Add(time.Hour)), ErrExists, "it is worth something still")
		require.NoError(t, db.Sessions().ConsumeToken(ctx, b, now.Add(time.Minute)))
		assert.Equal(t, v, version(t, db), "it does not belong to the configuration")
	})
}
