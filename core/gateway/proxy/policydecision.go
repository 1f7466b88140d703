package proxy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// policyDecision records which policy rules have matched, if any.
func (c *call) policyDecision(ctx context.Context) error {
	x, p, list := &c.x, &c.payload, append(c.list[:0], '[')
	for i := range x.Findings {
		if f := &x.Findings[i]; f.Kind == core.FoundPolicy && !f.Shadow {
			if len(list) > 1 {
				list = append(list, ',')
			}
			c.inner.Reset()
			c.inner.Str("rule", f.Label)
			c.inner.Str("phase", f.Phase.String())
			list = append(list, c.inner.Bytes()...)
		}
	}
	c.list = append(list, ']')
	if len(list) == 1 {
		return nil
	}
	decision := "ALLOWED"
	if e := x.Outcome.Err; e != nil && e.Code == core.CodePolicyDenied {
		decision = "DENIED"
	}
	p.Reset()
	p.Str("request_id", x.ID)
	p.Str("decision", decision)
	p.Raw("rules", c.list)
	return c.append(ctx, audit.Event{Type: audit.PolicyDecision, Payload: p.Bytes()})
}
