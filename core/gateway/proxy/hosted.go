package proxy

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/hosted"
	"github.com/headgate-dev/headgate/core/body/scratch"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// strippedHeader names the hosted tools that were removed from the request.
const strippedHeader = "X-Gateway-Stripped-Tools"

// scanBody reads the texts of the body.
func (c *call) scanBody(in *inlet) *core.Error {
	if in.editor {
		return c.decodeEditor()
	}
	if m := c.snap.Memory; m != nil {
		c.scans.Set(m, &c.x)
		c.x.Request.Lists.Memory = &c.scans
	}
	c.x.Request.ReserveSegments()
	return c.d.Scan(&c.x)
}

// applyHostedRule decides about a request that was refused because of its hosted tools: the rule depends on the model,
// which may follow the tools in the body. Such a request is scanned twice.
func (c *call) applyHostedRule(in *inlet, refusal *core.Error) *core.Error {
	model := c.x.Head.Model
	if in.editor {
		model, _ = splitEditorModel(model)
	}
	found := c.x.Hosted
	switch c.findHostedRule(model) {
	case hosted.Pass:
		c.resetScan(in)
		c.x.Hosted = &hosted.Found{Allowed: true}
	case hosted.Strip:
		body := hosted.AppendWithoutTools(make([]byte, 0, len(c.body)), c.body, found.Tools)
		c.body = append(c.body[:0], body...)
		c.resetScan(in)
		c.stripped = listHostedNames(found)
		c.x.Header = append(c.x.Header, core.Field{Name: strippedHeader, Value: c.stripped})
	default:
		return refusal
	}
	return c.scanBody(in)
}

// resetScan forgets what the scan has found.
func (c *call) resetScan(in *inlet) {
	c.x.Request.Reset()
	c.describeRequest(c.r.Header)
	c.x.Request.Raw = c.body
	c.x.Head = core.Head{Tools: scratch.Reuse(c.x.Head.Tools), Model: in.model, Stream: in.stream}
	c.x.Hosted = nil
}

// findHostedRule returns the stricter of the rules of the tenant and the route, or the gateway's rule if neither has one.
func (c *call) findHostedRule(model string) hosted.Rule {
	tenant := hosted.ReadRule(c.x.Principal.TenantMetadata)
	general := tenant
	if tenant == hosted.Unset {
		general = c.snap.HostedTools
	}
	return max(tenant, c.snap.Router.FindHostedTools(model, general))
}

// checkHostedTools refuses hosted tools that the rule for the client's model allows, and that for the routed one does
// not.
func (c *call) checkHostedTools() *core.Error {
	h := c.x.Hosted
	if h == nil || len(h.Tools) == 0 || c.findHostedRule(c.x.Model()) == hosted.Pass {
		return nil
	}
	return scan.NewUnsupportedError("tools", "the model that this request is routed to must not be sent tools that run at the provider: "+listHostedNames(h))
}

// listHostedNames lists the types of tools, for headers and records.
func listHostedNames(h *hosted.Found) string {
	names := make([]string, 0, len(h.Tools))
	seen := map[string]bool{}
	for _, t := range h.Tools {
		if !seen[t.Type] {
			seen[t.Type] = true
			names = append(names, cleanHeaderToken(scan.ShortenName(t.Type)))
		}
	}
	return clipName(strings.Join(names, ", "))
}
