package wasm

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// ReadField returns a field of an exchange as a stage in a module reads it, or "" if it is not known in the phase, for plugins that run
// elsewhere. The phase is one of the ABI. Places are not among the fields that it knows. The error is that of ctx, if it ended first.
func ReadField(
	ctx context.Context, services *foreign.Services, x *core.Exchange, phase uint32, f abi.Field,
) (value string, err error) {
	if err := ctx.Err(); err != nil {
		return "", err
	}
	if f == abi.FieldBudgets {
		if services.Budgets == nil {
			return "[]", nil
		}
		all, err := services.Budgets.FindAmounts(ctx, x)
		if err != nil {
			return "", ctx.Err()
		}
		return string(foreign.FormatAmounts(all)), nil
	}
	if f == abi.FieldPlaces {
		return "", nil
	}
	defer func() {
		if r := recover(); r != nil {
			if _, late := r.(timeUp); !late {
				panic(r)
			}
			value, err = "", ctx.Err()
		}
	}()
	c := talk{s: &FullStage{services: *services}, x: x, phase: phase, away: ctx}
	return c.readField(nil, f), nil
}
