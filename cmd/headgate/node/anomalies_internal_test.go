package node

import (
	"bytes"
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/core/records/store/storetest"
	"github.com/headgate-dev/headgate/core/telemetry"
)

func TestAnAnomalyIsToldOnceADay(t *testing.T) {
	ctx := t.Context()
	db := storetest.Open(t, storetest.CreateSQLite(t))
	now := time.Date(2026, 11, 22, 12, 0, 0, 0, time.UTC)
	w := store.NewWriter(db, store.WriterOptions{})
	for d := range 31 {
		usd := int64(1)
		if d == 0 {
			usd = 9
		}
		require.NoError(t, w.AppendUsage(ctx, &store.UsageRecord{
			ExchangeID: "x", Tenant: "acme", Provider: "p", Model: "gpt-x", Input: 1, Counted: true, Priced: true,
			Cost: usd * 10_000_000_000, InputCost: usd * 10_000_000_000, At: now.AddDate(0, 0, -d).Add(-time.Hour),
		}))
	}
	require.NoError(t, w.Close(ctx))
	var log bytes.Buffer
	tel, err := telemetry.New(telemetry.Options{Out: &log, Level: "info", Format: "json"})
	require.NoError(t, err)
	g := &gateway{tel: tel, rec: &Records{DB: db}, cfg: &config.Config{Costs: config.Costs{AnomalyThresholdPct: 50}}}
	told := map[[2]string]time.Time{}
	for _, after := range []time.Duration{0, time.Hour, 2 * time.Hour} {
		require.NoError(t, g.reportAnomalies(ctx, now.Add(after), told))
	}
	require.NoError(t, tel.Close())
	assert.Equal(t, 1, strings.Count(log.String(), "COST_ANOMALY"), log.String())
	assert.Contains(t, log.String(), `"deviation_pct":"800"`)
	require.NoError(t, g.reportAnomalies(ctx, now.AddDate(0, 0, 30), told))
	assert.Empty(t, told, "a past anomaly is forgotten")
}

func TestAGatewayLeavesAnomaliesToItsControlPlane(t *testing.T) {
	ctx, cancel := context.WithCancel(t.Context())
	done := make(chan struct{})
	go func() {
		defer close(done)
		(&gateway{cfg: &config.Config{Role: config.RoleGateway}}).watchCosts(ctx)
	}()
	select {
	case <-done:
	case <-time.After(10 * time.Second):
		t.Error("it watches")
	}
	cancel()
	<-done
}
