package wasm

import (
	"bytes"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"math/big"
	"strings"

	"github.com/tetratelabs/wazero/api"

	"github.com/headgate-dev/headgate/wasm/abi"
)

// regoBuiltin is a function of Rego that OPA leaves to the host. ok is false where the
// result is undefined.
type regoBuiltin func(args []json.RawMessage) (result any, ok bool)

// regoBuiltins are the functions without side effects or access to secrets. A policy that
// uses any other, such as the network, is refused when it is loaded.
var regoBuiltins = map[string]regoBuiltin{"sprintf": regoSprintf}

// What ends a policy that calls opa_abort.
var (
	errAborted = errors.New("the policy ended in an error of its own, which its log line tells")
	errNoRoom  = errors.New("the policy came to its memory limit")
)

var regoFuncs = map[string]hostFunc{
	"opa_abort":    {params: []api.ValueType{i32}, fn: regoAbort},
	"opa_println":  {params: []api.ValueType{i32}, fn: regoPrint},
	"opa_builtin0": regoCaller(0),
	"opa_builtin1": regoCaller(1),
	"opa_builtin2": regoCaller(2),
	"opa_builtin3": regoCaller(3),
	"opa_builtin4": regoCaller(4),
}

func regoAbort(ctx context.Context, _ api.Module, stack []uint64) {
	c := ctx.(*callContext)
	c.check()
	text, err := c.inst.regoText(uint32(stack[0]))
	if err == nil && bytes.Equal(text, []byte("opa_malloc: failed")) {
		panic(errNoRoom)
	}
	if err == nil {
		c.inst.v.log.line(abi.LevelError, text[:min(len(text), maxLogLine)])
	}
	panic(errAborted)
}

func regoPrint(ctx context.Context, _ api.Module, stack []uint64) {
	c := ctx.(*callContext)
	c.check()
	if text, err := c.inst.regoText(uint32(stack[0])); err == nil {
		c.inst.v.log.line(abi.LevelInfo, text[:min(len(text), maxLogLine)])
	}
}

// regoCaller is opa_builtin<n>(id, context, arguments…) -> value.
func regoCaller(n int) hostFunc {
	params := make([]api.ValueType, n+2)
	for k := range params {
		params[k] = i32
	}
	return hostFunc{params: params, results: []api.ValueType{i32}, fn: func(ctx context.Context, _ api.Module, stack []uint64) {
		c := ctx.(*callContext)
		c.check()
		stack[0] = uint64(c.inst.regoBuiltin(uint32(stack[0]), stack[2:2+n]))
	}}
}

// early ends a foreign guest that calls a function of its host's in its start function.
const early = "it called the host before it was ready"

// regoBuiltin calls a built-in; 0 is undefined. A failure ends the guest. The guest is
// called for the values: what it calls from there is refused, as the runtime would run
// a second call of one function over the frames of the first.
func (i *instance) regoBuiltin(id uint32, values []uint64) uint32 {
	if i.rego == nil || !i.rego.evaluating {
		panic(i.v.abiFault("it calls a built-in outside of opa_eval"))
	}
	i.rego.evaluating = false
	defer func() { i.rego.evaluating = true }()
	f, ok := i.rego.builtins[id]
	if !ok {
		panic(i.v.abiFault("it calls a built-in that it does not list"))
	}
	args := make([]json.RawMessage, len(values))
	for k, v := range values {
		text, err := i.regoJSON(uint32(v))
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
	value, err := i.regoValue(doc)
	if err != nil {
		panic(err)
	}
	return value
}

// maxRegoFormat is the longest result of sprintf, in bytes.
const maxRegoFormat = 64 << 10

// regoSprintf is sprintf(format, values). Numbers are integers where they can be;
// values that are not scalars are formatted as JSON.
func regoSprintf(args []json.RawMessage) (any, bool) {
	var format string
	var raw []json.RawMessage
	if len(args) != 2 || json.Unmarshal(args[0], &format) != nil || json.Unmarshal(args[1], &raw) != nil {
		return nil, false
	}
	if wide(format) || swells(format, raw) {
		return nil, false
	}
	values := make([]any, len(raw))
	for k, r := range raw {
		var text string
		switch {
		case json.Unmarshal(r, &text) == nil && r[0] == '"':
			values[k] = text
		case r[0] == '-' || '0' <= r[0] && r[0] <= '9':
			values[k] = regoNumber(string(r))
		default:
			values[k] = string(r)
		}
	}
	out := fmt.Sprintf(format, values...)
	if len(out) > maxRegoFormat {
		return nil, false
	}
	return out, true
}

// wide reports a format whose width or precision has more than three digits, or comes
// from an argument: it could make a text of any length out of a few bytes.
func wide(format string) bool {
	for {
		at := strings.IndexByte(format, '%')
		if at < 0 {
			return false
		}
		format = format[at+1:]
		digits := 0
		for len(format) > 0 && strings.IndexByte("+-# .0123456789*[]", format[0]) >= 0 {
			switch c := format[0]; {
			case c == '*':
				return true
			case '0' <= c && c <= '9':
				digits++
			default:
				digits = 0
			}
			if digits > 3 {
				return true
			}
			format = format[1:]
		}
		if len(format) > 0 {
			format = format[1:]
		}
	}
}

// mostSprintf bounds what sprintf makes before it is known to be too long, in bytes.
const mostSprintf = 16 << 20

// swells reports a format that could make much out of few bytes, as one that shows a
// long value again and again does.
func swells(format string, raw []json.RawMessage) bool {
	longest := 0
	for _, r := range raw {
		longest = max(longest, len(r))
	}
	// A verb is padded to three digits' width, or makes at most ten bytes of each.
	return strings.Count(format, "%")*(1000+10*longest) > mostSprintf
}

// maxDigits is the most digits of a number in arithmetic.
const maxDigits = 1000

func regoNumber(text string) any {
	if len(text) > maxDigits {
		return text
	}
	if n, ok := new(big.Int).SetString(text, 10); ok {
		if n.IsInt64() {
			return n.Int64()
		}
		return n
	}
	var f float64
	if json.Unmarshal([]byte(text), &f) != nil {
		return text
	}
	return f
}
