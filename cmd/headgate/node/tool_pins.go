package node

import (
	"context"
	"errors"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/outbox"
	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
)

// toolPins keeps the pinned definitions of agents' tools in step with the database. Lists of tools never wait for it.
type toolPins struct {
	g     *gateway
	view  *tools.Pins
	seen  chan *store.OfferedTool
	bytes atomic.Int64 // of the definitions in seen
	// warned is when it was last logged that a server has too many tools.
	warned time.Time
}

const (
	// pinsAhead and pinBytesAhead limit what waits to be written. A server's next list tells again of what finds no room.
	pinsAhead     = 4096
	pinBytesAhead = 16 << 20
	// pinsEvery is how often a node of a fleet reads its own pins again: no configuration version reports their changes.
	pinsEvery = 5 * time.Second
)

func newToolPins(g *gateway) *toolPins {
	p := &toolPins{g: g, seen: make(chan *store.OfferedTool, pinsAhead)}
	p.view = tools.NewPins(p.note)
	return p
}

// note queues what a server offers.
func (p *toolPins) note(o *store.OfferedTool) bool {
	n := int64(len(o.Definition))
	if p.bytes.Add(n) <= pinBytesAhead {
		select {
		case p.seen <- o:
			return true
		default:
		}
	}
	p.bytes.Add(-n)
	return false
}

// refresh loads all pins.
func (p *toolPins) refresh(ctx context.Context) error {
	var all []store.ToolPin
	for r, err := range p.g.rec.DB.ToolPins().ListAll(ctx) {
		if err != nil {
			return err
		}
		all = append(all, r)
	}
	p.view.Load(all)
	return nil
}

// change loads the pins that have changed.
func (p *toolPins) change(ctx context.Context, c *changes) error {
	if c.all {
		return p.refresh(ctx)
	}
	for _, id := range c.ids["tool_pin"] {
		r, err := p.g.rec.DB.ToolPins().Get(ctx, id)
		if errors.Is(err, store.ErrNotFound) {
			return p.refresh(ctx)
		}
		if err != nil {
			return err
		}
		p.view.Apply(&r)
	}
	return nil
}

// run writes what servers offer until ctx ends.
func (p *toolPins) run(ctx context.Context) {
	var again <-chan time.Time
	if p.g.flags.replica != nil {
		tick := time.NewTicker(pinsEvery)
		defer tick.Stop()
		again = tick.C
	}
	for {
		select {
		case <-ctx.Done():
			return
		case o := <-p.seen:
			p.bytes.Add(-int64(len(o.Definition)))
			err := p.write(ctx, o)
			if errors.Is(err, pins.ErrFull) {
				p.warnFull(o.Server)
				continue
			}
			if err != nil && ctx.Err() == nil {
				p.g.tel.Log.Error().Err(err).Msg("the definition of a tool could not be pinned in the database; the server's next list tries again")
			}
		case <-again:
			if err := p.refresh(ctx); err != nil && ctx.Err() == nil {
				p.g.tel.Log.Error().Err(err).Msg("the pinned definitions of tools could not be read; the last ones stay in force")
			}
		}
	}
}

// warnFull says, at most once a minute, that tools of a server are not pinned. Only run calls it.
func (p *toolPins) warnFull(server string) {
	if now := time.Now(); now.Sub(p.warned).Abs() >= time.Minute {
		p.warned = now
		p.g.tel.Log.Warn().Str("mcp_server", server).Int("limit", pins.MaxTools).
			Msg("the server offers more tools than are pinned; the others are not served")
	}
}

// write records what a server offers, and takes up the pin that follows.
func (p *toolPins) write(ctx context.Context, o *store.OfferedTool) error {
	now, drifted, err := p.g.rec.DB.ToolPins().Record(ctx, o)
	if err != nil {
		return err
	}
	p.view.Apply(&now)
	if drifted {
		p.publishDrift(ctx, &now)
	}
	return nil
}

// publishDrift tells the log, the audit log and subscribers that a tool is not served any more.
func (p *toolPins) publishDrift(ctx context.Context, r *store.ToolPin) {
	fields := pins.ListDifferences(r.Definition, r.OfferedDefinition)
	p.g.tel.Log.Warn().Str("mcp_server", r.Server).Str("mcp_tool", r.Tool).Str("state", string(r.State)).Strs("fields", fields).
		Msg("the definition of a tool is not the trusted one; the tool is withheld until somebody decides")
	data := map[string]any{"server": r.Server, "tool": r.Tool, "state": string(r.State), "fields": fields, "digest": r.Offered}
	if r.Digest != "" {
		data["before"] = r.Digest
	}
	p.g.hooks.emitter.Emit(outbox.Event{Type: outbox.ToolDrift, Data: data})
	e := buildDriftEvent(r)
	if err := p.g.rec.audit.Append(ctx, audit.Event{Type: audit.ToolDrift, Payload: e.Bytes()}); err != nil {
		p.g.tel.ReportLoss("audit", audit.ToolDrift, err)
		return
	}
	p.g.tel.RecordAudit(audit.ToolDrift)
}

// buildDriftEvent returns the payload of TOOL_DRIFT.
func buildDriftEvent(r *store.ToolPin) (e audit.Payload) {
	e.Reset()
	e.AddStr("mcp_server", r.Server)
	e.AddStr("mcp_tool", r.Tool)
	e.AddStr("state", string(r.State))
	e.AddStrs("fields", pins.ListDifferences(r.Definition, r.OfferedDefinition))
	e.AddOptionalStr("before", r.Digest)
	e.AddStr("digest", r.Offered)
	return e
}
