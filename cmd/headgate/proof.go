package main

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/config"
)

// trimEvery is how often audit records are looked for that are older than they are kept.
const trimEvery = time.Hour

// keepProof tells of transitions of the licence and removes old audit records and approvals, until ctx ends.
func (g *gateway) keepProof(ctx context.Context) {
	look, trim := time.NewTicker(licenseEvery), time.NewTimer(licenseEvery)
	defer look.Stop()
	defer trim.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			g.checkLicense(ctx)
		case <-trim.C:
			if g.role() == config.RoleConsole {
				continue // the gateways do
			}
			g.keepClock(ctx)
			g.trimAudit(ctx)
			g.trimApprovals(ctx)
			trim.Reset(trimEvery)
		}
	}
}

func (g *gateway) checkLicense(ctx context.Context) {
	if err := g.rec.lic.Check(ctx); err != nil && ctx.Err() == nil {
		g.tel.Log.Error().Err(err).Msg("the state of the licence could not be told; it is tried again")
	}
}

func (g *gateway) trimAudit(ctx context.Context) {
	g.mu.Lock()
	age := g.cfg.Audit.Retention
	g.mu.Unlock()
	if age <= 0 {
		return
	}
	done, err := g.rec.audit.Trim(ctx, g.rec.master.AuditKey(), g.rec.clock.Now(), age)
	for _, t := range done {
		sum := int64(0)
		for _, n := range t.Removed {
			sum += n
		}
		g.tel.Log.Info().Str("node", t.Node).Int64("through", t.Through).Int64("records", sum).Msg("audit records older than audit.retention were removed")
	}
	if err != nil && ctx.Err() == nil {
		g.tel.Log.Error().Err(err).Msg("audit records could not be removed by retention")
	}
}

func (g *gateway) trimApprovals(ctx context.Context) {
	if _, err := g.rec.db.TrimApprovals(ctx, g.rec.clock.Now().Add(-approvalsKept)); err != nil && ctx.Err() == nil {
		g.tel.Log.Error().Err(err).Msg("approvals that ended long ago could not be removed; it is tried again")
	}
}
