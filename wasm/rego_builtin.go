package wasm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// Errors that end the call of a policy that calls opa_abort.
var (
	errAborted = errors.New("the policy ended with an error; its log line has the reason")
	errNoRoom  = errors.New("the policy reached its memory limit")
)

var regoFuncs = map[string]hostFunc{
	"opa_abort":    {params: []api.ValueType{i32}, fn: abortRego},
	"opa_println":  {params: []api.ValueType{i32}, fn: printRego},
	"opa_builtin0": newRegoCaller(0),
	"opa_builtin1": newRegoCaller(1),
	"opa_builtin2": newRegoCaller(2),
	"opa_builtin3": newRegoCaller(3),
	"opa_builtin4": newRegoCaller(4),
}

func abortRego(ctx context.Context, _ api.Module, stack []uint64) {
	c := ctx.(*callContext)
	c.check()
	text, err := c.inst.readRegoText(uint32(stack[0]))
	if err == nil && bytes.Equal(text, []byte("opa_malloc: failed")) {
		panic(errNoRoom)
	}
	if err == nil {
		c.inst.v.log.writeLine(abi.LevelError, text[:min(len(text), maxLogLine)])
	}
	panic(errAborted)
}

func printRego(ctx context.Context, _ api.Module, stack []uint64) {
	c := ctx.(*callContext)
	c.check()
	if text, err := c.inst.readRegoText(uint32(stack[0])); err == nil {
		c.inst.v.log.writeLine(abi.LevelInfo, text[:min(len(text), maxLogLine)])
	}
}

// newRegoCaller returns the host function opa_builtin<n>(id, context, arguments…) -> value.
func newRegoCaller(n int) hostFunc {
	params := make([]api.ValueType, n+2)
	for k := range params {
		params[k] = i32
	}
	return hostFunc{params: params, results: []api.ValueType{i32}, fn: func(ctx context.Context, _ api.Module, stack []uint64) {
		c := ctx.(*callContext)
		c.check()
		stack[0] = uint64(c.inst.callRegoBuiltin(uint32(stack[0]), stack[2:2+n]))
	}}
}

// early is the fault of a foreign guest that calls a host function in its start function.
const early = "it called the host before it was ready"

// callRegoBuiltin calls a built-in; 0 means undefined. A failure ends the guest. The host calls the guest to read the values. During that
// call the guest's own calls to the host are refused: the runtime would run a second call of one function over the frames of the first.
func (i *instance) callRegoBuiltin(id uint32, values []uint64) uint32 {
	if i.rego == nil || !i.rego.evaluating {
		panic(i.v.newABIFault("it calls a built-in outside of opa_eval"))
	}
	i.rego.evaluating = false
	defer func() { i.rego.evaluating = true }()
	f, ok := i.rego.builtins[id]
	if !ok {
		panic(i.v.newABIFault("it calls a built-in that it does not list"))
	}
	args := make([]json.RawMessage, len(values))
	for k, v := range values {
		text, err := i.readRegoJSON(uint32(v))
		if err != nil {
			panic(err)
		}
		args[k] = json.RawMessage(append([]byte(nil), text...))
	}
	result, ok := f(args)
	if !ok {
		return 0
	}
	doc, err := json.Marshal(result)
	if err != nil {
		return 0
	}
	value, err := i.writeRegoValue(doc)
	if err != nil {
		panic(err)
	}
	return value
}
