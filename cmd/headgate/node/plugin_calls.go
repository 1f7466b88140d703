package node

import (
	"context"
	"errors"
	"fmt"
	"strconv"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/plugins/callout"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/stages"
)

// openUpstreams opens the services that plugins may call. They are closed with the runtime.
func openUpstreams(rt *snapshot.Runtime, cfg *config.Config, with *stages.Host) error {
	if len(cfg.Plugins.Upstreams) == 0 {
		return nil
	}
	list := make(map[string]callout.Upstream, len(cfg.Plugins.Upstreams))
	for name, u := range cfg.Plugins.Upstreams {
		list[name] = callout.Upstream{
			URL: u.URL, Token: u.Token.Reveal(), Models: u.Models, Timeout: u.Timeout, Calls: u.Calls, AllowPrivate: u.AllowPrivate,
			CAFile: u.CAFile,
		}
	}
	calls, err := callout.New(list, with.Ask, with.Called)
	if err != nil {
		return err
	}
	rt.Processes = append(rt.Processes, calls)
	with.Offers.Calls = calls
	return nil
}

// checkCalls refuses a link that counts costs and may ask models. The exchange of such a call passes the links that count costs, so it
// would call itself.
func checkCalls(l *config.Link, counts bool, with *stages.Host) error {
	calls, ok := with.Offers.Calls.(*callout.Calls)
	if !ok || !counts {
		return nil
	}
	for _, name := range l.Grant.Upstreams {
		if calls.AsksModels(name) {
			return fmt.Errorf(
				"grant.upstreams: %q calls models of this gateway, and such calls pass this link too, because it has the role budget; remove one",
				name,
			)
		}
	}
	return nil
}

// newPathCaller returns stages.Host.Ask for the models that a proxy serves, once it is stored.
func newPathCaller(
	serving *atomic.Pointer[proxy.Proxy],
) func(context.Context, *core.Principal, string, string, []byte) (int, []byte, error) {
	return func(ctx context.Context, by *core.Principal, link, path string, body []byte) (int, []byte, error) {
		p := serving.Load()
		if p == nil {
			return 0, nil, errors.New("the gateway is not listening yet")
		}
		return p.RequestAnswer(ctx, by, link, path, body)
	}
}

// newCallRecord returns stages.Host.Called: it writes the call to the audit log, without path and bodies.
func newCallRecord(g *gateway) func(context.Context, *foreign.Call, int, int) {
	return func(_ context.Context, c *foreign.Call, status, bytes int) {
		var p audit.Payload
		p.Reset()
		p.AddStr("request_id", c.Exchange.ID)
		p.AddStr("link", c.Link)
		p.AddStr("upstream", c.Upstream)
		p.AddStr("status", strconv.Itoa(status))
		p.AddStr("sent_bytes", strconv.Itoa(len(c.Body)))
		p.AddStr("received_bytes", strconv.Itoa(bytes))
		tenant := ""
		if c.Exchange.Principal != nil {
			tenant = c.Exchange.Principal.Tenant
		}
		e := audit.Event{Tenant: tenant, Type: audit.PluginCall, Payload: p.Bytes()}
		if err := g.rec.audit.AppendAdmitted(nil, nil, e); err != nil {
			g.tel.ReportLoss("audit", e.Type, err)
			return
		}
		g.tel.RecordAudit(e.Type)
	}
}
