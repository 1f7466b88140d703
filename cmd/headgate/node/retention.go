package node

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/config"
)

// trimEvery is how often audit records are looked for that are older than they are kept.
const trimEvery = time.Hour

// keepProof tells of transitions of the licence and removes old audit records, approvals and usage records, until ctx ends.
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
			g.trimUsage(ctx)
			g.giveBack(ctx)
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
	done, err := g.rec.audit.Trim(ctx, g.rec.Master.AuditKey(), g.rec.clock.Now(), age)
	for _, t := range done {
		sum := int64(0)
		for _, n := range t.Removed {
			sum += n
		}
		g.tel.Log.Info().Str(
			"node",
			t.Node,
		).Int64(
			"through",
			t.Through,
		).Int64(
			"records",
			sum,
		).Msg(
			"audit records older than audit.retention were removed",
		)
	}
	if err != nil && ctx.Err() == nil {
		g.tel.Log.Error().Err(err).Msg("audit records could not be removed by retention")
	}
}

func (g *gateway) trimApprovals(ctx context.Context) {
	if _, err := g.rec.DB.Approvals().Trim(ctx, g.rec.clock.Now().Add(-approvalsKept)); err != nil && ctx.Err() == nil {
		g.tel.Log.Error().Err(err).Msg("approvals that ended long ago could not be removed; it is tried again")
	}
}

// giveBack returns the space of removed records to the file system.
func (g *gateway) giveBack(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = g.rec.DB.GiveBack(ctx); err != nil && ctx.Err() == nil {
			g.tel.Log.Error().Err(err).Msg("free space of the database file could not be given back; it is tried again")
		}
	}
}

func (g *gateway) trimUsage(ctx context.Context) {
	g.mu.Lock()
	age := g.cfg.Audit.UsageRetention
	node := isNode(g.cfg)
	g.mu.Unlock()
	if age <= 0 || node { // a node gives its records up when they are handed over
		return
	}
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = g.rec.DB.Usage().Trim(ctx, g.rec.clock.Now().Add(-age)); err != nil && ctx.Err() == nil {
			g.tel.Log.Error().Err(err).Msg("usage records could not be removed by retention; it is tried again")
		}
	}
}
