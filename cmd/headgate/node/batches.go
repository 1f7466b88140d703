package node

import (
	"context"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/providers"
)

// newBatches builds the service for files and batches.
func (g *gateway) newBatches(m *meter.Meter, cfg *config.Config) *batch.Service {
	return batch.New(batch.Options{
		Store: g.rec.DB, Rules: g.buildBatchRules, Dialect: findBatchShape, Audit: g.auditBatch, Charge: g.chargeBatch, Book: m.Append,
		Settle: g.rec.writer.Sync, Served: g.tel.RecordExchange, Lost: g.tel.ReportLoss, Panicked: g.tel.RecordPanic,
		TempDir: cfg.Batch.TempDir, MaxFile: int64(cfg.Batch.MaxFile), MaxLine: int(cfg.Server.MaxBody), MaxLines: cfg.Batch.MaxLines,
		Ask: cfg.Batch.AskEvery, Watch: cfg.Batch.WatchEvery,
	})
}

// buildBatchRules returns the rules of the configuration in force.
func (g *gateway) buildBatchRules() batch.Rules {
	s := g.snaps.Acquire()
	r := batch.NewRedaction(s.Redacting, g.noteLinePanic)
	rules := batch.Rules{
		Keys: keyAuthenticator{g.clientAuth, s.Keys}, Router: batchRouter{s}, Redactor: r, Restorer: r, Backends: s.Batches, Release: s.Release,
		JudgedFiles: s.JudgedFiles,
		LimitField:  batchRouter{s}.findLimitField,
	}
	if s.Guarding != nil {
		rules.Guard = batch.NewGuard(s.Guarding, g.noteLinePanic)
	}
	if c := batch.NewChainCheck(s.Chain); c != nil {
		rules.Models = c
	}
	return rules
}

// noteLinePanic counts and logs a panic of a link at the end of a batch's line.
func (g *gateway) noteLinePanic(p chain.FinishPanic) { g.tel.RecordLinkPanic(p.Link, p.Value, p.Stack) }

// keyAuthenticator authenticates by the keys of one configuration.
type keyAuthenticator struct {
	clients *auth.Authenticator
	keys    *auth.Keys
}

func (d keyAuthenticator) Authenticate(r *http.Request, now time.Time) (*core.Principal, *core.Error) {
	return d.clients.Authenticate(d.keys, r, now)
}

func (g *gateway) auditBatch(ctx context.Context, e audit.Event) error {
	s := g.snaps.Acquire()
	defer s.Release()
	if s.Unrecorded {
		return nil
	}
	var err error
	if e.Type == audit.GatewayResponse { // the call was admitted together with its request
		err = g.rec.audit.AppendAdmitted(nil, nil, e)
	} else {
		err = g.rec.audit.Append(ctx, e)
	}
	if err != nil {
		return err
	}
	g.tel.RecordAudit(e.Type)
	if s.AuditSync {
		return g.rec.audit.Sync(ctx)
	}
	return nil
}

// batchRouter routes a file's requests to the first target of their model that supports batches, within the tenant's
// region.
type batchRouter struct{ *snapshot.Snapshot }

func (r batchRouter) FindTarget(model, region string, chosen bool) (provider, target string, ok bool) {
	plan, _ := r.Router.PlanFor(nil, route.Query{Model: model, Region: region, Chosen: chosen})
	for i := range plan {
		if r.Batches[plan[i].Provider] != nil {
			return plan[i].Provider, plan[i].Model, true
		}
	}
	if len(plan) == 0 {
		return "", "", false
	}
	return plan[0].Provider, plan[0].Model, true // the error is that it does not support batches
}

// findLimitField returns the name of the token limit that a model takes.
func (r batchRouter) findLimitField(provider, model string) string {
	if p := r.Providers[provider]; p != nil {
		return p.FindTraits(model).LimitField
	}
	return ""
}

// findBatchShape returns the dialect of the requests to a URL in a file.
func findBatchShape(url string) core.Dialect {
	switch url {
	case "/v1/chat/completions":
		return openai.Chat{}
	case "/v1/responses":
		return openai.Responses{}
	case "/v1/embeddings":
		return openai.Embeddings{}
	case "/v1/completions":
		return openai.Completions{}
	}
	return nil
}

// addBackends returns the batch services of the runtime's providers. The mock's keeps its files in memory across
// configurations.
func (g *gateway) addBackends(rt *snapshot.Runtime, typeOf func(name string) string) {
	rt.Batches = map[string]backend.Backend{}
	for name, p := range rt.Providers {
		if providers.NormalizeName(typeOf(name)) == "mock" {
			if g.mockBatches == nil {
				g.mockBatches = providers.NewBatchMock()
			}
			rt.Batches[name] = g.mockBatches
			continue
		}
		if b := providers.NewBatch(p); b != nil {
			rt.Batches[name] = b
		}
	}
}
