package wasm

import (
	"context"
	"strconv"

	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

func handleStateScope(c *talk, i *instance, stack []uint64) {
	word := readBytes(i, stack[0], stack[1])
	c.charge(i, 0)
	if len(word) > abi.MaxStateKey || !isPlainText(word) {
		endWithBreach("a scope of its state is too long or no plain text")
	}
	chosen, ok := c.s.scopes[string(word)]
	if !ok && c.s.rehearsed {
		_, err := foreign.ParseScope(string(word))
		ok = err == nil
	}
	if len(word) > 0 && !ok {
		stack[0] = uint64(abi.NotGranted)
		return
	}
	c.more.store, c.gotKey, c.got = chosen, "", nil
	stack[0] = 0
}

// findStore returns the part of the state that the guest uses.
func (c *talk) findStore() *store {
	if c.more.store != nil {
		return c.more.store
	}
	return &c.s.store
}

func handleThreshold(c *talk, i *instance, stack []uint64) {
	name, percent := readBytes(i, stack[0], stack[1]), uint32(stack[2])
	c.charge(i, 0)
	if len(name) == 0 || len(name) > abi.MaxKeyLen || !isPlainText(name) || percent > 1000 {
		endWithBreach("a threshold has no name, one that is too long, or a share above 1000 percent")
	}
	k := c.ensureState()
	if k.thresholds++; k.thresholds > abi.MaxThresholds || c.s.services.Notify == nil {
		stack[0] = uint64(abi.Unavailable)
		return
	}
	stack[0] = 0
	if !c.s.silent {
		n := foreign.NewThresholdNotice(c.x, c.s.link, string(name), strconv.Itoa(int(percent)))
		c.s.services.Notify(context.WithoutCancel(i.call.parent), n)
	}
}
