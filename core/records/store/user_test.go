package store

import (
	"context"
	"crypto/sha256"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func owner(id string) User {
	return User{ID: id, Email: id + "@example.com", Name: id, Password: "hash", Roles: []string{"owner"}, Status: UserActive}
}

func member(id, tenant string) User {
	return User{ID: id, Email: id + "@example.com", Name: id, Roles: []string{"admin", "viewer"}, TenantID: tenant, Status: UserActive}
}

func collectAll[T any](t testing.TB, list func(yield func(T, error) bool)) []T {
	t.Helper()
	var out []T
	for v, err := range list {
		require.NoError(t, err)
		out = append(out, v)
	}
	return out
}

func TestAUserIsKeptAsTheyAre(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "t1", Name: "T", Status: "active", Source: SourceAPI}))
		v := version(t, db)
		ada := member("ada", "t1")
		ada.Subject = "https://issuer ada"
		made, err := db.Users().Insert(ctx, ada)
		require.NoError(t, err)
		assert.Equal(t, v+1, version(t, db))
		for name, read := range map[string]func() (User, error){
			"by id":      func() (User, error) { return db.Users().Get(ctx, "ada") },
			"by address": func() (User, error) { return db.Users().GetByEmail(ctx, "ada@example.com") },
			"by subject": func() (User, error) { return db.Users().GetBySubject(ctx, "https://issuer ada") },
		} {
			got, err := read()
			require.NoError(t, err, name)
			assert.Equal(t, made, got, name)
		}
		for name, u := range map[string]User{
			"the same id":      {ID: "ada", Email: "x@example.com", Status: UserActive},
			"the same address": {ID: "b", Email: "ada@example.com", Status: UserActive},
			"the same subject": {ID: "b", Email: "b@example.com", Subject: "https://issuer ada", Status: UserActive},
		} {
			_, err := db.Users().Insert(ctx, u)
			require.ErrorIs(t, err, ErrExists, name)
		}
		_, err = db.Users().Insert(ctx, member("b", "nobody"))
		require.ErrorIs(t, err, ErrNotFound, "no such tenant")
		for _, u := range []User{{Email: "x"}, {ID: "x"}} {
			_, err = db.Users().Insert(ctx, u)
			require.Error(t, err)
		}
		_, err = db.Users().Get(ctx, "nobody")
		require.ErrorIs(t, err, ErrNotFound)
		_, err = db.Users().GetBySubject(ctx, "")
		require.ErrorIs(t, err, ErrNotFound, "users without a subject have none in common")

		require.NoError(t, db.Users().RecordSignIn(ctx, "ada"))
		assert.Equal(t, v+1, version(t, db), "a sign-in is not a change of the configuration")
		got, err := db.Users().Get(ctx, "ada")
		require.NoError(t, err)
		assert.Equal(t, now, got.SignedInAt)
	})
}

func TestAUserIsChangedAsTheyStand(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		now := time.UnixMicro(1_700_000_000_000_001).UTC()
		db := openURL(t, url, WithClock(func() time.Time { return now }))
		first, err := db.Users().Insert(ctx, owner("a"))
		require.NoError(t, err)
		_, err = db.Users().Insert(ctx, owner("b"))
		require.NoError(t, err)
		v := version(t, db)
		same, err := db.Users().Change(ctx, "a", func(*User) error { return nil })
		require.NoError(t, err)
		assert.Equal(t, first, same)
		assert.Equal(t, v, version(t, db))
		got, err := db.Users().Change(ctx, "a", func(u *User) error {
			u.ID, u.Name, u.Roles[0] = "other", "Ada", "policy-admin"
			return nil
		})
		require.NoError(t, err)
		want := first
		want.Name, want.Roles, want.UpdatedAt = "Ada", []string{"policy-admin"}, first.UpdatedAt.Add(time.Microsecond)
		assert.Equal(t, want, got)
		assert.Equal(t, v+1, version(t, db))
		changes, complete, err := db.Config().ListChanges(ctx, v)
		require.NoError(t, err)
		assert.True(t, complete, "readers of increments need not read everything again")
		assert.Equal(t, []Change{{Version: v + 1, Kind: "user", ID: "a"}}, changes)

		mine := errors.New("mine")
		_, err = db.Users().Change(ctx, "a", func(u *User) error { u.Name = "x"; return mine })
		require.ErrorIs(t, err, mine)
		_, err = db.Users().Change(ctx, "a", func(u *User) error { u.Email = "b@example.com"; return nil })
		require.ErrorIs(t, err, ErrExists)
		_, err = db.Users().Change(ctx, "nobody", func(*User) error { return nil })
		require.ErrorIs(t, err, ErrNotFound)
		got, err = db.Users().Get(ctx, "a")
		require.NoError(t, err)
		assert.Equal(t, want, got)
	})
}

func TestTheLastOwnerStays(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		for _, id := range []string{"a", "b"} {
			_, err := db.Users().Insert(ctx, owner(id))
			require.NoError(t, err)
		}
		powerless := owner("c")
		powerless.Password = ""
		_, err := db.Users().Insert(ctx, powerless)
		require.NoError(t, err)
		_, err = db.Users().Insert(ctx, User{ID: "d", Email: "d", Password: "x", Roles: []string{"policy-admin"}, Status: UserActive})
		require.NoError(t, err)

		disable := func(u *User) error { u.Status = UserDisabled; return nil }
		demote := func(u *User) error { u.Roles = []string{"policy-admin"}; return nil }
		fine := func(*User) error { return nil }
		_, err = db.Users().Change(ctx, "a", disable)
		require.NoError(t, err)
		v := version(t, db)
		for name, take := range map[string]func() error{
			"disabled": func() error { _, err := db.Users().Change(ctx, "b", disable); return err },
			"demoted":  func() error { _, err := db.Users().Change(ctx, "b", demote); return err },
			"deleted":  func() error { return db.Users().Delete(ctx, "b", fine) },
		} {
			require.ErrorIs(t, take(), ErrLastOwner, name+": one who has nothing to show does not count, nor does one who is disabled")
			got, err := db.Users().Get(ctx, "b")
			require.NoError(t, err)
			assert.Equal(t, []string{"owner"}, got.Roles, name)
			assert.Equal(t, UserActive, got.Status, name)
		}
		assert.Equal(t, v, version(t, db))
		_, err = db.Users().Change(ctx, "b", func(u *User) error { u.Name = "Bob"; return nil })
		require.NoError(t, err, "anything else of them may change")

		// A token makes the one without a password count, as long as it works.
		_, err = db.PATs().Insert(ctx, PAT{ID: "p", UserID: "c", Hash: sha256.Sum256([]byte("p")), Roles: []string{"owner"}, Source: SourceAPI})
		require.NoError(t, err)
		require.NoError(t, db.Users().Delete(ctx, "b", fine))
		require.ErrorIs(t, db.Users().Delete(ctx, "c", fine), ErrLastOwner)
		require.NoError(t, db.Users().Delete(ctx, "d", fine))
		require.NoError(t, db.Users().Delete(ctx, "a", fine))
		require.ErrorIs(t, db.Users().Delete(ctx, "a", fine), ErrNotFound)
	})
}

func TestOfTwoOwnersWhoDisableEachOtherOneStays(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db, other := openURL(t, url), openURL(t, url)
		for _, id := range []string{"a", "b"} {
			_, err := db.Users().Insert(ctx, owner(id))
			require.NoError(t, err)
		}
		for range 5 {
			var race sync.WaitGroup
			errs := make([]error, 2)
			for i, at := range []*DB{db, other} {
				race.Go(func() {
					_, errs[i] = at.Users().Change(ctx, []string{"a", "b"}[i], func(u *User) error { u.Status = UserDisabled; return nil })
				})
			}
			race.Wait()
			assert.NotEqual(t, errs[0] == nil, errs[1] == nil, "%v", errs)
			require.ErrorIs(t, errors.Join(errs...), ErrLastOwner)
			for _, id := range []string{"a", "b"} {
				_, err := db.Users().Change(ctx, id, func(u *User) error { u.Status = UserActive; return nil })
				require.NoError(t, err)
			}
		}
	})
}

func TestUsersAreListedPageByPage(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "t1", Name: "T", Status: "active", Source: SourceAPI}))
		for i := range 5 {
			_, err := db.Users().Insert(ctx, owner(fmt.Sprint("o", i)))
			require.NoError(t, err)
			_, err = db.Users().Insert(ctx, member(fmt.Sprint("m", i), "t1"))
			require.NoError(t, err)
		}
		ids := func(list []User) (out []string) {
			for _, u := range list {
				out = append(out, u.ID)
			}
			return out
		}
		everybody := collectAll(t, db.Users().ListByOwner(ctx, "", Cursor{}, 0))
		assert.Len(t, everybody, 10)
		members := collectAll(t, db.Users().ListByOwner(ctx, "t1", Cursor{}, 0))
		assert.Equal(t, []string{"m0", "m1", "m2", "m3", "m4"}, ids(members))
		first := collectAll(t, db.Users().ListByOwner(ctx, "t1", Cursor{}, 2))
		assert.Equal(t, members[:2], first)
		assert.Equal(t, members[2:], collectAll(t, db.Users().ListByOwner(ctx, "t1", first[1].Cursor(), 0)))
	})
}

func TestATenantTakesItsUsersWithIt(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "t1", Name: "T", Status: "active", Source: SourceAPI}))
		_, err := db.Users().Insert(ctx, member("m", "t1"))
		require.NoError(t, err)
		hash := sha256.Sum256([]byte("p"))
		_, err = db.PATs().Insert(ctx, PAT{ID: "p", UserID: "m", Hash: hash, Roles: []string{"admin"}, TenantID: "t1", Source: SourceAPI})
		require.NoError(t, err)
		require.NoError(
			t,
			db.Sessions().Insert(
				ctx,
				Session{Hash: hash, UserID: "m", CreatedAt: time.Now(), SeenAt: time.Now(), ExpiresAt: time.Now().Add(time.Hour)},
			),
		)
		require.NoError(t, db.Tenants().Delete(ctx, "t1", nil))
		for _, table := range []string{"admin_user", "access_token", "session"} {
			assert.Zero(t, count(t, db, table), table)
		}
	})
}
