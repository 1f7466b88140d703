package store_test

import (
	"context"
	"errors"
	"fmt"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// fullServer has a value in each field.
func fullServer(name string) store.MCPServer {
	return store.MCPServer{
		Name: name, URL: "https://mcp.example.com/", OpenAPIURL: "https://mcp.example.com/openapi.yaml", Operations: []string{"list_*"},
		Headers: []byte{0, 1, 255}, HeaderNames: []string{"Authorization"}, Era: "auto", Trust: "restore", Pin: "required",
		Tools: []string{"find_*"}, Prompts: []string{"review_*"}, Resources: []string{"file:///docs/*"},
		Access: []store.MCPAccess{{Tenants: []string{"a"}, Keys: []string{"k*"}, Tools: []string{"find_*"}}, {}},
		Price:  5, Prices: map[string]int64{"dear": 1 << 40}, Enabled: true,
	}
}

func TestServersOfToolsAreStoredWhole(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		servers, virtual := store.NewMCPServers(db), store.NewVirtualServers(db)
		made, err := servers.Insert(ctx, fullServer("crm"))
		require.NoError(t, err)
		want := fullServer("crm")
		want.Version, want.CreatedAt, want.UpdatedAt = 1, made.CreatedAt, made.UpdatedAt
		got, err := servers.Get(ctx, "crm")
		require.NoError(t, err)
		assert.Equal(t, want.Prices, got.Prices)
		assert.Equal(t, want, got)

		v, err := virtual.Insert(ctx, store.VirtualServer{
			Name: "team", Members: []store.VirtualMember{{Server: "crm", Tools: []string{"list_*"}}, {Server: "filed"}}, ListTimeout: 1500 * time.Millisecond,
			Enabled: true, InFile: []string{"filed", "other"},
		})
		require.NoError(t, err)
		read, err := virtual.Get(ctx, "team")
		require.NoError(t, err)
		v.InFile = nil
		assert.Equal(t, v, read, "what the file has is not stored")

		before, err := db.Config().ReadVersion(ctx)
		require.NoError(t, err)
		_, err = servers.Change(ctx, "crm", func(s *store.MCPServer) error { s.Enabled = false; return nil })
		require.NoError(t, err)
		changes, complete, err := db.Config().ListChanges(ctx, before)
		require.NoError(t, err)
		assert.True(t, complete)
		require.Len(t, changes, 1, "a running gateway learns what has changed")
		assert.Equal(t, "mcp_server", changes[0].Kind)
	})
}

func TestAServerThatAVirtualServerNamesStays(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		servers, virtual := store.NewMCPServers(db), store.NewVirtualServers(db)
		for _, name := range []string{"a", "b"} {
			_, err := servers.Insert(ctx, fullServer(name))
			require.NoError(t, err)
		}
		join := func(name string, members ...string) error {
			v := store.VirtualServer{Name: name, InFile: []string{"filed"}}
			for _, m := range members {
				v.Members = append(v.Members, store.VirtualMember{Server: m})
			}
			_, err := virtual.Insert(ctx, v)
			return err
		}
		require.NoError(t, join("y", "a", "filed"))
		require.NoError(t, join("x", "a", "b"))
		var unknown *store.UnknownMemberError
		require.ErrorAs(t, join("z", "a", "missing"), &unknown)
		assert.Equal(t, "missing", unknown.Server)
		_, err := virtual.Get(ctx, "z")
		require.ErrorIs(t, err, store.ErrNotFound, "nothing of it is stored")
		require.ErrorIs(t, join("a", "b"), store.ErrExists)
		_, err = servers.Insert(ctx, fullServer("x"))
		require.ErrorIs(t, err, store.ErrExists, "both would be at one address")

		var used *store.InUseError
		require.ErrorAs(t, servers.Delete(ctx, "a", nil), &used)
		assert.Equal(t, []string{"x", "y"}, used.By)
		_, err = virtual.Change(ctx, "y", func(v *store.VirtualServer) error {
			v.Members = []store.VirtualMember{{Server: "filed"}}
			return nil
		})
		require.ErrorAs(t, err, &unknown, "the file does not have it any more")
		_, err = virtual.Change(ctx, "y", func(v *store.VirtualServer) error {
			v.Enabled = !v.Enabled
			return nil
		})
		require.NoError(t, err, "members that stay are not looked up again")
		require.NoError(t, virtual.Delete(ctx, "y", nil))
		require.NoError(t, virtual.Delete(ctx, "x", nil))
		require.NoError(t, servers.Delete(ctx, "a", nil))
	})
}

func TestNoVirtualServerIsLeftWithAServerThatIsDeletedMeanwhile(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		servers, virtual := store.NewMCPServers(db), store.NewVirtualServers(db)
		for i := range 20 {
			name := fmt.Sprint("s", i)
			_, err := servers.Insert(ctx, fullServer(name))
			require.NoError(t, err)
			var joined, removed error
			var done sync.WaitGroup
			done.Go(func() {
				_, joined = virtual.Insert(ctx, store.VirtualServer{Name: "v-" + name, Members: []store.VirtualMember{{Server: name}}})
			})
			done.Go(func() { removed = servers.Delete(ctx, name, nil) })
			done.Wait()
			var unknown *store.UnknownMemberError
			var used *store.InUseError
			if errors.As(joined, &unknown) {
				require.NoError(t, removed)
			} else {
				require.NoError(t, joined)
				require.ErrorAs(t, removed, &used)
			}
		}
	})
}

func TestTheNumberOfStoredServersIsLimited(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := context.Background()
		var err error
		for i := 0; i < 256 && err == nil; i++ {
			_, err = store.NewMCPServers(db).Insert(ctx, store.MCPServer{Name: fmt.Sprint("s", i)})
		}
		require.NoError(t, err)
		_, err = store.NewMCPServers(db).Insert(ctx, store.MCPServer{Name: "one-more"})
		require.ErrorIs(t, err, store.ErrTooMany)
	})
}

func TestANodeHasTheServersOfItsControlPlane(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx, node := context.Background(), storetest.Open(t, storetest.CreateSQLite(t))
		requireSame := func() {
			t.Helper()
			servers, err := store.NewMCPServers(db).List(ctx)
			require.NoError(t, err)
			copied, err := store.NewMCPServers(node).List(ctx)
			require.NoError(t, err)
			assert.Equal(t, servers, copied)
			virtual, err := store.NewVirtualServers(db).List(ctx)
			require.NoError(t, err)
			joined, err := store.NewVirtualServers(node).List(ctx)
			require.NoError(t, err)
			assert.Equal(t, virtual, joined)
		}
		_, err := store.NewMCPServers(db).Insert(ctx, fullServer("crm"))
		require.NoError(t, err)
		_, err = store.NewVirtualServers(db).Insert(ctx, store.VirtualServer{Name: "team", Members: []store.VirtualMember{{Server: "crm"}}})
		require.NoError(t, err)
		first := export(t, db, 0)
		require.NoError(t, first.importInto(t, node))
		requireSame()
		require.NoError(t, store.NewVirtualServers(db).Delete(ctx, "team", nil))
		require.NoError(t, store.NewMCPServers(db).Delete(ctx, "crm", nil))
		require.NoError(t, export(t, db, first.version).importInto(t, node))
		requireSame()
	})
}
