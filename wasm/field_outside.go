package wasm

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// ReadField returns a field of an exchange as a stage in a module reads it, or "" if it is not known in the phase, for plugins that run
// elsewhere. The phase is one of the ABI. Places are not among the fields that it knows.
func ReadField(ctx context.Context, services *foreign.Services, x *core.Exchange, phase uint32, f abi.Field) string {
	if f == abi.FieldBudgets {
		if services.Budgets == nil {
			return "[]"
		}
		all, err := services.Budgets.FindAmounts(ctx, x)
		if err != nil {
			return ""
		}
		return string(foreign.FormatAmounts(all))
	}
	if f == abi.FieldPlaces {
		return ""
	}
	c := talk{s: &FullStage{services: *services}, x: x, phase: phase}
	return c.readField(nil, f)
}
