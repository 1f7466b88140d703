package console

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/recent"
)

func TestASessionIsOfOneTenant(t *testing.T) {
	ring := recent.New()
	s := serveSite(t, func(o *Options, _ *auth.AdminOptions) { o.Recent = ring })
	for _, e := range []struct{ tenant, model string }{{"t1", "one-a"}, {"t1", "one-b"}, {"t2", "two-a"}, {"t2", "two-b"}} {
		ring.Add(&core.Exchange{
			ID: e.model, Trace: "same", Received: time.Now(), Principal: &core.Principal{Tenant: e.tenant, KeyID: "k"},
			Head: core.Head{Model: e.model}, Outcome: core.Outcome{Kind: core.Blocked, Status: 400},
		}, time.Millisecond)
	}
	ofTenant := s.signedIn(s.user("tom", auth.RoleAdmin))
	ofPlatform := s.signedIn(s.user("ada", auth.RoleOwner))
	for name, c := range map[string]struct {
		who       *browser
		path      string
		want, not string
	}{
		"a platform user sees that of the tenant":  {ofPlatform, "/session?tenant=t2&trace=same", "two-b", "one-"},
		"and of none without one":                  {ofPlatform, "/session?trace=same", "does not remember", "two-"},
		"the page of a request leads to it":        {ofPlatform, "/requests/one-a?at=1", "/session?tenant=t1&amp;trace=same", "tenant=t2"},
		"a tenant's user sees that of the tenant":  {ofTenant, "/session?trace=same", "one-b", "two-"},
		"and no other one's, whatever the address": {ofTenant, "/session?tenant=t2&trace=same", "one-b", "two-"},
	} {
		body := c.who.get(c.path).body
		assert.Contains(t, body, c.want, name)
		assert.NotContains(t, body, c.not, name)
	}
}
