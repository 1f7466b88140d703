package wasm

import (
	"context"
	"errors"

	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func handleCall(c *talk, i *instance, stack []uint64) {
	name, path := readBytes(i, stack[0], stack[1]), readBytes(i, stack[2], stack[3])
	switch {
	case len(name) == 0 || len(name) > abi.MaxKeyLen:
		endWithBreach("the name of an upstream is empty or too long")
	case len(path) > abi.MaxPath || !foreign.IsPlainPath(string(path)):
		endWithBreach("a path does not start with a slash, is too long, or is malformed")
	case uint32(stack[5]) > abi.MaxCallBody:
		endWithBreach("it calls with a body that is longer than it may be")
	}
	body := readBytes(i, stack[4], stack[5])
	c.charge(i, len(body))
	c.more.answer = nil
	if !c.s.upstreams[string(name)] || c.s.services.Calls == nil {
		stack[0] = encodeCall(abi.CallNotGranted)
		return
	}
	k := c.ensureState()
	if k.calls == abi.MaxCalls {
		stack[0] = encodeCall(abi.CallLimited)
		return
	}
	k.calls++
	ctx, done := newCallContext(i)
	status, answer, err := c.s.services.Calls.Call(ctx, &foreign.Call{
		Exchange: c.x, Link: c.s.link, Upstream: string(name), Path: string(path), Body: append([]byte(nil), body...),
	})
	done()
	switch {
	case errors.Is(err, foreign.ErrLimited):
		stack[0] = encodeCall(abi.CallLimited)
	case err != nil || len(answer) > abi.MaxCallAnswer:
		stack[0] = encodeCall(abi.CallFailed)
	default:
		c.more.answer = answer
		stack[0] = encodeCall(abi.PackCall(uint32(status), uint32(len(answer))))
	}
}

func encodeCall(result int64) uint64 { return uint64(result) }

// newCallContext returns the context of a call of an upstream, which has its own time limit besides the request's: the
// guest does not run meanwhile, so the time does not count as its own.
func newCallContext(i *instance) (context.Context, func()) {
	i.call.check()
	return i.call.parent, func() {
		i.call.last = readClock()
		i.call.check()
	}
}

func handleCallRead(c *talk, i *instance, stack []uint64) {
	off := int(uint32(stack[0]))
	if off > len(c.more.answer) {
		endWithBreach("it read behind the end of an answer")
	}
	n := min(len(c.more.answer)-off, int(uint32(stack[2])))
	copy(readBytes(i, stack[1], uint64(n)), c.more.answer[off:])
	c.charge(i, n)
	stack[0] = uint64(n)
}
