package node

import (
	"context"
	"database/sql"
	"errors"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/configs"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/pgtest"
	"github.com/headgate-dev/headgate/providers"
)

// outage is a database that a test can make unavailable.
type outage struct {
	url       string
	away      func() (back func())
	readsFail bool // not only writes
}

func heldFile(t *testing.T) outage {
	return outage{url: "sqlite:x.db", away: func() func() {
		other, err := sql.Open("sqlite3", "file:x.db?_txlock=immediate")
		require.NoError(t, err)
		tx, err := other.BeginTx(context.Background(), nil)
		require.NoError(t, err)
		return func() {
			require.NoError(t, tx.Rollback())
			require.NoError(t, other.Close())
		}
	}}
}

func crashedServer(t *testing.T) outage {
	server := pgtest.StartServer(t)
	return outage{url: server.CreateDatabase(t), readsFail: true, away: func() func() {
		server.Crash(t)
		return func() { server.Start(t) }
	}}
}

func TestAGatewayIsReadyWhileItsQueueHasRoom(t *testing.T) {
	const patience = time.Minute
	for name, start := range map[string]func(t *testing.T) outage{
		"another process holds the file": heldFile,
		"the server has crashed":         crashedServer,
	} {
		t.Run(name, func(t *testing.T) {
			t.Setenv(PasswordVar, "a long enough password for tests")
			t.Chdir(t.TempDir())
			ctx := t.Context()
			db := start(t)
			cfg, _, err := config.Load(config.Source{
				Default: configs.Gateway, Set: []string{"store.url=" + db.url},
				Known: config.Known{Providers: providers.ListNames(), Stages: []string{"pii"}},
			})
			require.NoError(t, err)
			cfg.Audit.Queue = 16 << 10
			r, err := openRecords(ctx, cfg, func(error, int) {})
			require.NoError(t, err)
			gateway, plane := *cfg, *cfg
			gateway.Role, plane.Role = config.RoleGateway, config.RoleControlPlane
			require.NoError(t, r.checkReady(ctx, &gateway))
			require.NoError(t, r.checkReady(ctx, &plane))

			back := db.away()
			event := audit.Event{Type: audit.ConfigImported, Payload: []byte("{}")}
			require.NoError(t, r.audit.Append(ctx, event))
			assert.NoError(t, r.checkReady(ctx, &gateway), "it has room for the records of exchanges")
			if db.readsFail {
				assert.ErrorIs(t, r.checkReady(ctx, &plane), store.ErrUnavailable, "it serves nothing without its database")
			} else {
				assert.NoError(t, r.checkReady(ctx, &plane), "it can still read")
			}

			require.Eventually(t, func() bool {
				return errors.Is(r.audit.Append(ctx, event), store.ErrBusy)
			}, patience, time.Millisecond)
			assert.ErrorIs(t, r.checkReady(ctx, &gateway), store.ErrBusy)
			if !db.readsFail {
				assert.NoError(t, r.checkReady(ctx, &plane), "its readiness does not depend on the queue")
			}

			back()
			require.NoError(t, r.writer.Sync(ctx))
			assert.NoError(t, r.checkReady(ctx, &gateway))
			require.Eventually(t, func() bool { return r.checkReady(ctx, &plane) == nil }, patience, 10*time.Millisecond)
			require.NoError(t, r.Close(context.WithoutCancel(ctx)))
		})
	}
}
