package chain

import (
	"strings"

	"github.com/headgate-dev/headgate/core"
)

// ListJudges names the links that judge answers to a caller, whatever the model is. Callers for whom it returns the
// same are under the same links. Links in shadow mode do not count.
func (c *Chain) ListJudges(p *core.Principal) string {
	var b strings.Builder
	for i := range c.links {
		if l := &c.links[i]; l.Mode != Shadow && l.Phases.Has(core.Response) && l.For.admits(p) {
			b.WriteString(l.Name)
			b.WriteByte(0)
		}
	}
	return b.String()
}
