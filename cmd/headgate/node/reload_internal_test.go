package node

import (
	"bytes"
	"context"
	"path/filepath"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// A reload puts the newest version in force; parts built before a change lack it.
func TestAChangeInTheMiddleOfAReloadIsTakenUp(t *testing.T) {
	ctx := context.Background()
	db := storetest.Open(t, storetest.CreateSQLite(t))
	took := map[string]int{}
	counting := func(kind string) taker {
		return taker{[]string{kind}, func(*gateway, context.Context, *changes) error { took[kind]++; return nil }}
	}
	before := takers
	takers = []taker{counting("webhook"), counting("price")}
	t.Cleanup(func() { takers = before })
	g := &gateway{
		rec: &Records{DB: db},
		pol: newPolicySource(db, nil),
		cfg: &config.Config{},
		rt:  (&snapshot.Runtime{Chain: &chain.Chain{}}).Start(),
	}

	_, err := db.Webhooks().Insert(
		ctx,
		store.Webhook{ID: "w", Name: "w", URL: "https://example.com", Secrets: store.Secrets{Secret: []byte("s")}},
	)
	require.NoError(t, err)
	require.NoError(t, g.swap(ctx)) // like a reload that read the webhooks before
	require.NoError(t, g.refresh(ctx))
	assert.Equal(t, map[string]int{"webhook": 1, "price": 1}, took)
	require.NoError(t, g.refresh(ctx))
	assert.Equal(t, map[string]int{"webhook": 1, "price": 1}, took, "once is enough")
}

func TestAReloadThatAShutdownCancelsRefusesNothing(t *testing.T) {
	var log bytes.Buffer
	tel, err := telemetry.New(telemetry.Options{Out: &log, Level: "info", Format: "json"})
	require.NoError(t, err)
	g := &gateway{
		tel:   tel,
		rec:   &Records{DB: storetest.Open(t, storetest.CreateSQLite(t))},
		flags: &Options{Config: filepath.Join(t.TempDir(), "none.yaml")},
	}
	ctx, cancel := context.WithCancel(t.Context())
	cancel()
	require.ErrorIs(t, g.reload(ctx, "a test"), context.Canceled)
	assert.Empty(t, g.refused)
	assert.Error(t, g.reload(t.Context(), "a test"), "there is no such file")
	assert.Contains(t, g.refused, "none.yaml")
	require.NoError(t, tel.Close())
	lines := strings.Split(strings.TrimSpace(log.String()), "\n")
	require.Len(t, lines, 2)
	assert.Contains(t, lines[0], "a reload was abandoned: the gateway shuts down")
	assert.Contains(t, lines[0], `"level":"info"`)
	assert.Contains(t, lines[1], "the new configuration is refused")
}
