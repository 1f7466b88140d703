package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestATokenIsKeptByItsHashAlone(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		ada, err := db.Users().Insert(ctx, owner("ada"))
		require.NoError(t, err)
		v := version(t, db)
		hash := sha256.Sum256([]byte("headgate_pat_secret"))
		p := PAT{
			ID: "p", UserID: "ada", Name: "ci", Prefix: "headgate_pat_", Hash: hash, Roles: []string{"owner"}, Source: SourceAPI,
			ExpiresAt: now.Add(time.Hour),
		}
		made, err := db.PATs().Insert(ctx, p)
		require.NoError(t, err)
		assert.Equal(t, now, made.CreatedAt)
		assert.Equal(t, v+1, version(t, db))
		got, whose, err := db.PATs().GetByHash(ctx, hash)
		require.NoError(t, err)
		assert.Equal(t, made, got)
		assert.Equal(t, ada, whose)
		_, _, err = db.PATs().GetByHash(ctx, sha256.Sum256([]byte("x")))
		require.ErrorIs(t, err, ErrNotFound)
		_, err = db.PATs().Insert(ctx, p)
		require.ErrorIs(t, err, ErrExists)
		p.ID, p.UserID, p.Hash[0] = "q", "nobody", p.Hash[0]+1
		_, err = db.PATs().Insert(ctx, p)
		require.ErrorIs(t, err, ErrNotFound)
		for _, bad := range []PAT{{UserID: "ada", Hash: hash}, {ID: "r", UserID: "ada"}} {
			_, err = db.PATs().Insert(ctx, bad)
			require.Error(t, err)
		}

		v = version(t, db)
		require.NoError(t, db.PATs().RecordUse(ctx, "p", now.Add(time.Second)))
		assert.Equal(t, v, version(t, db), "a use does not change the configuration")
		got, err = db.PATs().Get(ctx, "p")
		require.NoError(t, err)
		assert.Equal(t, now.Add(time.Second), got.UsedAt)
		assert.Len(t, collectAll(t, db.PATs().ListByUser(ctx, "", Cursor{}, 0)), 1)
		assert.Len(t, collectAll(t, db.PATs().ListByUser(ctx, "ada", Cursor{}, 0)), 1)
		assert.Empty(t, collectAll(t, db.PATs().ListByUser(ctx, "nobody", Cursor{}, 0)))
		assert.Empty(t, collectAll(t, db.PATs().ListByUser(ctx, "", got.Cursor(), 0)))
	})
}

func TestARevocationIsForGood(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		_, err := db.Users().Insert(ctx, owner("ada"))
		require.NoError(t, err)
		hash := sha256.Sum256([]byte("p"))
		_, err = db.PATs().Insert(ctx, PAT{ID: "p", UserID: "ada", Hash: hash, Source: SourceAPI})
		require.NoError(t, err)
		fine := func(*PAT) error { return nil }
		mine := errors.New("mine")
		_, _, err = db.PATs().Revoke(ctx, "p", func(*PAT) error { return mine })
		require.ErrorIs(t, err, mine)
		v := version(t, db)
		p, changed, err := db.PATs().Revoke(ctx, "p", fine)
		require.NoError(t, err)
		assert.True(t, changed)
		assert.Equal(t, now, p.RevokedAt)
		assert.Equal(t, v+1, version(t, db))
		now = now.Add(time.Hour)
		p, changed, err = db.PATs().Revoke(ctx, "p", fine)
		require.NoError(t, err)
		assert.False(t, changed)
		assert.Equal(t, now.Add(-time.Hour), p.RevokedAt)
		assert.Equal(t, v+1, version(t, db))
		got, _, err := db.PATs().GetByHash(ctx, hash)
		require.NoError(t, err)
		assert.Equal(t, p, got)
		_, _, err = db.PATs().Revoke(ctx, "nobody", fine)
		require.ErrorIs(t, err, ErrNotFound)
	})
}

func TestTheTokenOfTheEnvironmentIsKeptOnceAndTakesThePlaceOfTheOneBefore(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		u := User{ID: "environment", Email: "environment@localhost", Roles: []string{"owner"}, Status: UserActive}
		token := func(id, text string) PAT {
			return PAT{ID: id, UserID: u.ID, Name: "HEADGATE_ADMIN_TOKEN", Hash: sha256.Sum256([]byte(text)), Roles: u.Roles, Source: SourceEnv}
		}
		first, added, err := db.PATs().Upsert(ctx, u, token("1", "one"))
		require.NoError(t, err)
		assert.True(t, added)
		v := version(t, db)
		for _, id := range []string{"2", "3"} {
			again, added, err := db.PATs().Upsert(ctx, u, token(id, "one"))
			require.NoError(t, err)
			assert.False(t, added)
			assert.Equal(t, first, again)
		}
		assert.Equal(t, v, version(t, db), "a start changes nothing")
		_, err = db.PATs().Insert(ctx, PAT{ID: "own", UserID: u.ID, Hash: sha256.Sum256([]byte("own")), Source: SourceCLI})
		require.NoError(t, err)

		_, added, err = db.PATs().Upsert(ctx, u, token("4", "two"))
		require.NoError(t, err)
		assert.True(t, added)
		old, added, err := db.PATs().Upsert(ctx, u, token("5", "one"))
		require.NoError(t, err)
		assert.False(t, added)
		assert.False(t, old.RevokedAt.IsZero(), "what was replaced does not come back")
		own, err := db.PATs().Get(ctx, "own")
		require.NoError(t, err)
		assert.True(t, own.RevokedAt.IsZero(), "tokens from elsewhere go on")
	})
}

func TestSessionsComeAndGo(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		_, err := db.Users().Insert(ctx, owner("ada"))
		require.NoError(t, err)
		session := func(id string, d time.Duration) Session {
			return Session{Hash: sha256.Sum256([]byte(id)), UserID: "ada", CreatedAt: now, SeenAt: now, ExpiresAt: now.Add(d)}
		}
		a, b, c := session("a", time.Hour), session("b", time.Hour), session("c", time.Minute)
		for _, s := range []Session{a, b, c} {
			require.NoError(t, db.Sessions().Insert(ctx, s))
		}
		require.ErrorIs(t, db.Sessions().Insert(ctx, a), ErrExists)
		nobodys := session("n", time.Hour)
		nobodys.UserID = "nobody"
		require.ErrorIs(t, db.Sessions().Insert(ctx, nobodys), ErrNotFound)
		got, u, err := db.Sessions().Get(ctx, a.Hash)
		require.NoError(t, err)
		assert.Equal(t, a, got)
		assert.Equal(t, "ada", u.ID)
		_, err = db.Users().Insert(ctx, owner("bob"))
		require.NoError(t, err)
		for _, c := range []struct {
			status string
			want   error
		}{{UserDisabled, ErrNotFound}, {UserActive, nil}} {
			_, err = db.Users().Change(ctx, "ada", func(u *User) error { u.Status = c.status; return nil })
			require.NoError(t, err)
			_, _, err = db.Sessions().Get(ctx, a.Hash)
			require.ErrorIs(t, err, c.want, c.status)
		}
		v := version(t, db)

		now = now.Add(time.Minute)
		_, _, err = db.Sessions().Get(ctx, c.Hash)
		require.ErrorIs(t, err, ErrNotFound, "it has expired, though it was not swept")
		require.NoError(t, db.Sessions().Touch(ctx, a.Hash, now, now.Add(2*time.Hour)))
		n, err := db.Sessions().Sweep(ctx)
		require.NoError(t, err)
		assert.Equal(t, int64(1), n)
		got, _, err = db.Sessions().Get(ctx, a.Hash)
		require.NoError(t, err)
		assert.Equal(t, now, got.SeenAt)
		assert.Equal(t, now.Add(2*time.Hour), got.ExpiresAt)

		require.NoError(t, db.Sessions().DeleteByUser(ctx, "ada", a.Hash))
		_, _, err = db.Sessions().Get(ctx, b.Hash)
		require.ErrorIs(t, err, ErrNotFound)
		require.NoError(t, db.Sessions().Delete(ctx, a.Hash))
		require.NoError(t, db.Sessions().Delete(ctx, a.Hash))
		_, _, err = db.Sessions().Get(ctx, a.Hash)
		require.ErrorIs(t, err, ErrNotFound)
		assert.Equal(t, v, version(t, db), "sessions are not part of the configuration")
	})
}
