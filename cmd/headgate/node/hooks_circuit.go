package node

import (
	"strings"

	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/outbox"
)

// reportCircuit tells subscribers that a provider, or one of its models, is not called for a while, or is called again. It never
// blocks: calls of providers wait for it.
func (h *hooks) reportCircuit(provider, model string, s route.State) {
	if s == route.HalfOpen { // a trial decides in a moment
		return
	}
	data := map[string]any{"provider": provider, "state": strings.ToUpper(s.String())}
	if model != "" {
		data["model"] = strings.Clone(model) // it may belong to a request
	}
	h.emitter.Emit(outbox.Event{Type: outbox.CircuitChanged, Data: data})
}
