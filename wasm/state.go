package wasm

import (
	"context"
	"fmt"
	"net/url"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// store is a plugin's part of the state.
type store struct {
	state    core.State
	name     string // follows the tenant in the plugin's keys
	platform bool   // one set of keys for all tenants
}

// newStore names a plugin's part after its link, which the operator chose: with the name from a manifest, a file could take over the
// counters of another plugin.
func newStore(s core.State, link string, shadow, candidate bool) store {
	link = escapePart(link) + formatMark(shadow, candidate)
	return store{state: core.OpenSpace(s, "wasm:"+link), name: link}
}

// formatMark sets the keys of a link in shadow, and of a candidate, apart.
func formatMark(shadow, candidate bool) (mark string) {
	if shadow {
		mark = "*"
	}
	if candidate {
		mark += "!"
	}
	return mark
}

// newScopes returns the parts of the state that the link grants besides its own, by their scope words. Links with the same
// grant share a part. Its name starts with an asterisk, so that no link can have that name.
func newScopes(o *Options, own *store) (map[string]*store, error) {
	out := map[string]*store{}
	for _, word := range o.Grant.Scopes {
		scope, err := foreign.ParseScope(word)
		if err != nil {
			return nil, fmt.Errorf("grant.scopes: %q: %w", stripControls(word, 80), err)
		}
		s := *own
		if scope.Shared != "" {
			s.name = "*" + scope.Shared + formatMark(o.Shadow, o.Candidate)
			s.state = core.OpenSpace(o.State, "scope:"+s.name)
		}
		s.platform = scope.Platform
		out[word] = &s
	}
	return out, nil
}

// escapePart replaces the separators in a part of a key.
func escapePart(part string) string {
	if strings.ContainsAny(part, "{}:%*!") {
		return url.QueryEscape(part)
	}
	return part
}

// Kinds of stored values, distinguished in their keys: a guest may use one key for a value and for a counter.
const (
	keyValue = "v"
	keyKinds = "?rcs" // by kind of limit
)

// formatKey returns the full key for one of the guest's. The tenant is in braces, so that the counters of one take are on one node of a
// cluster. The tenant itself contains no braces; neither it nor the name contains the colon that ends it.
func (s *store) formatKey(x *core.Exchange, kind string, key []byte) string {
	tenant := "*"
	if s.platform {
		tenant = "**"
	} else if x.Principal != nil && x.Principal.Tenant != "" {
		tenant = escapePart(x.Principal.Tenant)
	}
	var b strings.Builder
	b.Grow(len("plugin:{}:::") + len(tenant) + len(s.name) + len(kind) + len(key))
	for _, part := range []string{"plugin:{", tenant, "}:", s.name, ":", kind, ":"} {
		b.WriteString(part)
	}
	b.Write(key)
	return b.String()
}

// readStateKey reads a key from the guest's memory. It is valid until the guest resumes.
func readStateKey(i *instance, ptr, n uint64) []byte {
	if uint32(n) == 0 || uint32(n) > abi.MaxStateKey {
		endWithBreach("a key of its state is empty or too long")
	}
	return readBytes(i, ptr, n)
}

// newStoreContext returns the context of a call of the store, which ends with the guest's time. The returned function
// counts the time that the store took, and ends the guest's call if none is left.
func newStoreContext(i *instance) (context.Context, func()) {
	i.call.check() // starts the clock
	ctx, cancel := context.WithDeadline(i.call.parent, i.call.computeDeadline())
	return ctx, func() {
		cancel()
		i.call.countStoreTime()
	}
}

func handleStateGet(c *talk, i *instance, stack []uint64) {
	key := readStateKey(i, stack[0], stack[1])
	if c.gotKey != string(key) {
		ctx, cancel := newStoreContext(i)
		defer cancel()
		c.gotKey, c.got = "", nil
		v, ok, err := c.findStore().state.Get(ctx, c.findStore().formatKey(c.x, keyValue, key))
		switch {
		case err != nil:
			stack[0] = uint64(abi.Unavailable)
			return
		case !ok:
			stack[0] = uint64(abi.NoValue)
			return
		}
		c.gotKey, c.got = string(key), v // a repeated read with more room returns the same value
	}
	c.charge(i, len(c.got))
	n := min(len(c.got), int(uint32(stack[3])))
	copy(readBytes(i, stack[2], uint64(n)), c.got)
	stack[0] = uint64(len(c.got))
}

func handleStatePut(c *talk, i *instance, stack []uint64) {
	key, ttl := readStateKey(i, stack[0], stack[1]), int64(stack[4])
	switch {
	case uint32(stack[3]) > abi.MaxStateValue:
		endWithBreach("it keeps a value that is too long")
	case ttl < 0 || ttl > abi.MaxTTL:
		endWithBreach("it keeps a value for less than no time, or for too long")
	}
	value := readBytes(i, stack[2], stack[3])
	ctx, cancel := newStoreContext(i)
	defer cancel()
	c.gotKey, c.got = "", nil
	whole := c.findStore().formatKey(c.x, keyValue, key)
	var err error
	if ttl == 0 {
		err = c.findStore().state.Delete(ctx, whole)
	} else {
		err = c.findStore().state.Set(ctx, whole, value, time.Duration(ttl)*time.Millisecond)
	}
	stack[0] = 0
	if err != nil {
		stack[0] = uint64(abi.Unavailable)
	}
}
