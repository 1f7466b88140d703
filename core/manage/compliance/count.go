package compliance

import (
	"encoding/base64"
	"encoding/json"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// counter counts records while they are read.
type counter struct {
	events map[string]*int64
	denied int64
	proof  Proof
}

func (c *counter) add(r *store.AuditRecord) error {
	n := c.events[r.Type]
	if n == nil {
		n = new(int64)
		c.events[r.Clone().Type] = n
	}
	*n++
	switch r.Type {
	case audit.PolicyDecision:
		var p struct {
			Decision string
			Rules    []struct{ Rule string }
		}
		if json.Unmarshal([]byte(r.Payload), &p) == nil && p.Decision == "DENIED" {
			c.denied++
			for _, rule := range p.Rules {
				c.proof.Denied[rule.Rule]++
			}
		}
	case audit.PIIRedacted:
		var p struct{ Types map[string]int64 }
		if json.Unmarshal([]byte(r.Payload), &p) == nil {
			for kind, n := range p.Types {
				c.proof.Redacted[kind] += n
			}
		}
	}
	return nil
}

func (c *counter) buildSections() Sections {
	s := Sections{Events: make(map[string]int64, len(c.events))}
	for kind, n := range c.events {
		s.Events[kind] = *n
	}
	s.Access = AccessSummary{Success: s.Events[audit.AuthSuccess] + s.Events[audit.GatewayRequest], Failure: s.Events[audit.AuthFailure]}
	s.Policy.Denied = c.denied
	return s
}

func formatPublicKey(key []byte) (string, error) {
	public, err := audit.DerivePublicKey(key)
	return base64.StdEncoding.EncodeToString(public), err
}

// describeEvent describes a type of event.
func describeEvent(kind string) string {
	for _, t := range audit.ListTypes() {
		if t.Name == kind {
			return t.Meaning
		}
	}
	return ""
}
