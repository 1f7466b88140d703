package node

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/config"
)

// retention deletes expired records and performs the periodic upkeep of the database.
type retention struct{ g *gateway }

func (g *gateway) newRetention() retention { return retention{g} }

// trimEvery is the interval at which expired audit records are removed.
const trimEvery = time.Hour

// watch reports changes of the licence's state and removes old audit records, approvals and usage records, until ctx ends.
func (r retention) watch(ctx context.Context) {
	look, trim := time.NewTicker(licenseEvery), time.NewTimer(licenseEvery)
	defer look.Stop()
	defer trim.Stop()
	for {
		select {
		case <-ctx.Done():
			return
		case <-look.C:
			r.checkLicense(ctx)
		case <-trim.C:
			if r.g.role() == config.RoleConsole {
				continue // the gateways do that
			}
			r.g.storeClock(ctx)
			r.trimAudit(ctx)
			r.trimApprovals(ctx)
			r.trimUsage(ctx)
			r.releaseSpace(ctx)
			trim.Reset(trimEvery)
		}
	}
}

func (r retention) checkLicense(ctx context.Context) {
	if err := r.g.rec.lic.Refresh(ctx); err != nil && ctx.Err() == nil {
		r.g.tel.Log.Error().Err(err).Msg("the state of the licence could not be told; it is tried again")
	}
}

func (r retention) trimAudit(ctx context.Context) {
	r.g.mu.Lock()
	age := r.g.cfg.Audit.Retention
	r.g.mu.Unlock()
	if age <= 0 {
		return
	}
	done, err := r.g.rec.audit.Trim(ctx, r.g.rec.Master.AuditKey(), r.g.rec.clock.Now(), age)
	for _, t := range done {
		sum := int64(0)
		for _, n := range t.Removed {
			sum += n
		}
		r.g.tel.Log.Info().Str(
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
		r.g.tel.Log.Error().Err(err).Msg("audit records could not be removed by retention")
	}
}

func (r retention) trimApprovals(ctx context.Context) {
	if _, err := r.g.rec.DB.Approvals().Trim(ctx, r.g.rec.clock.Now().Add(-approvalsKept)); err != nil && ctx.Err() == nil {
		r.g.tel.Log.Error().Err(err).Msg("approvals that ended long ago could not be removed; it is tried again")
	}
}

// releaseSpace returns free space to the file system.
func (r retention) releaseSpace(ctx context.Context) {
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = r.g.rec.DB.ReleaseFreeSpace(ctx); err != nil && ctx.Err() == nil {
			r.g.tel.Log.Error().Err(err).Msg("free space of the database file could not be given back; it is tried again")
		}
	}
}

func (r retention) trimUsage(ctx context.Context) {
	r.g.mu.Lock()
	age := r.g.cfg.Audit.UsageRetention
	node := isNode(r.g.cfg)
	r.g.mu.Unlock()
	if age <= 0 || node { // a node deletes records once they are delivered
		return
	}
	for more := true; more && ctx.Err() == nil; {
		var err error
		if more, err = r.g.rec.DB.Usage().Trim(ctx, r.g.rec.clock.Now().Add(-age)); err != nil && ctx.Err() == nil {
			r.g.tel.Log.Error().Err(err).Msg("usage records could not be removed by retention; it is tried again")
		}
	}
}
