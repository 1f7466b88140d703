package node

import (
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
)

// Keys that were created for a tenant work on when the file no longer names it. Somebody must be able to end that.
func TestATenantThatTheFileNoLongerNamesIsHandedToTheAPI(t *testing.T) {
	storetest.RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
		ctx := t.Context()
		sources := func(file ...string) (out []string) {
			cfg := &config.Config{}
			for _, id := range file {
				cfg.Tenants = append(cfg.Tenants, config.Tenant{ID: id, Name: id, Status: config.TenantActive})
			}
			require.NoError(t, syncTenants(ctx, db, cfg))
			require.NoError(t, releaseTenants(ctx, db, cfg))
			list, err := db.Tenants().List(ctx)
			require.NoError(t, err)
			for i := range list {
				out = append(out, list[i].ID+" "+list[i].Source)
			}
			return out
		}
		_, err := db.Tenants().Upsert(ctx, store.Tenant{ID: "c", Name: "c", Status: "active", Source: store.SourceAPI})
		require.NoError(t, err)
		assert.Equal(t, []string{"a file", "b file", "c api"}, sources("a", "b"))
		assert.Equal(t, []string{"a file", "b api", "c api"}, sources("a"))
		before, err := db.Config().ReadVersion(ctx)
		require.NoError(t, err)
		sources("a")
		after, err := db.Config().ReadVersion(ctx)
		require.NoError(t, err)
		assert.Equal(t, before, after, "nothing has changed")
		assert.Equal(t, []string{"a file", "b file", "c api"}, sources("a", "b"), "it is put back")
	})
}
