package main

import (
	"context"
	"errors"
	"net/http"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/spending"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/sdk/process"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// remote asks the gateway about exchanges.
var remote = wasm.Remote{
	Field: func(ctx context.Context, f abi.Field) string {
		value, _ := process.FieldOf(ctx, f.String()) // a module cannot tell an error from a value that is not known
		return value
	},
	Body: process.BodyOf,
}

// newServices returns those of the gateway.
func newServices() foreign.Services {
	return foreign.Services{Reply: newReply, Notify: notify, Tokens: tokens{}, Calls: caller{}}
}

// newReply returns a reply that the gateway checks.
func newReply(x *core.Exchange, body []byte) (*core.Payload, error) {
	p := &core.Payload{Raw: append([]byte(nil), body...), Header: http.Header{}}
	if x.Head.Stream {
		p.Header.Set("Content-Type", "text/event-stream")
	}
	return p, nil
}

func notify(ctx context.Context, n spending.Notice) {
	name, percent := "", 0
	for _, f := range n.Facts {
		switch f.Name {
		case "limit":
			name = f.Value
		case "percent":
			percent, _ = strconv.Atoi(f.Value)
		}
	}
	_ = process.Threshold(ctx, name, percent) // an event that the gateway does not take has no effect
}

// tokens resolves placeholders. The gateway makes them.
type tokens struct{}

func (tokens) Mint(context.Context, *core.Exchange, core.Phase, string, string) (string, error) {
	return "", errors.New("the gateway makes placeholders")
}

func (tokens) Resolve(ctx context.Context, _ *core.Exchange, token string) (string, bool, error) {
	return process.Restore(ctx, token)
}

type caller struct{}

func (caller) Call(ctx context.Context, c *foreign.Call) (int, []byte, error) {
	status, answer, err := process.Call(ctx, c.Upstream, c.Path, c.Body)
	if errors.Is(err, process.ErrLimited) {
		err = foreign.ErrLimited
	}
	return status, answer, err
}

// state is the gateway's state for the plugin.
type state struct{}

var _ core.State = state{}

// locate splits a key of the host of modules, plugin:{tenant}:name:kind:key, into the part of the state that it is in and its name there.
// The gateway keeps tenants apart itself.
func locate(ctx context.Context, key string) (process.State, string) {
	tenant, rest, _ := strings.Cut(strings.TrimPrefix(key, "plugin:{"), "}:")
	name, rest, _ := strings.Cut(rest, ":")
	s, platform := process.StateOf(ctx), tenant == "**"
	shared, isShared := strings.CutPrefix(name, "*")
	switch {
	case isShared:
		_, own, _ := strings.Cut(rest, ":")
		if platform {
			return s.OpenScope("platform:" + shared), own
		}
		return s.OpenScope("shared:" + shared), own
	case platform:
		return s.OpenScope("platform"), rest
	}
	return s, rest
}

// Get implements core.Values.
func (state) Get(ctx context.Context, key string) ([]byte, bool, error) {
	s, name := locate(ctx, key)
	return s.Get(ctx, name)
}

// Set implements core.Values.
func (state) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	s, name := locate(ctx, key)
	return s.Put(ctx, name, value, ttl)
}

// Delete implements core.Values.
func (state) Delete(ctx context.Context, key string) error {
	s, name := locate(ctx, key)
	return s.Delete(ctx, name)
}

// Take implements core.Counters.
func (state) Take(ctx context.Context, limits []core.Limit) (bool, error) {
	s, _ := locate(ctx, limits[0].Key)
	for i := range limits {
		_, limits[i].Key = locate(ctx, limits[i].Key)
	}
	ok, hold, err := s.Take(ctx, limits)
	limits[0].Hold = uint64(hold)
	if err != nil && strings.Contains(err.Error(), "the limit of counters") {
		err = core.ErrStateFull
	}
	return ok, err
}

// Settle implements core.Counters.
func (state) Settle(ctx context.Context, limits []core.Limit) error {
	used := make([]int64, len(limits))
	for i := range limits {
		used[i] = limits[i].Actual
	}
	return process.StateOf(ctx).Settle(ctx, uint32(limits[0].Hold), used...)
}

// Seed implements core.Counters.
func (state) Seed(context.Context, string, int64, time.Time) error {
	return errors.New("plugins do not seed counters")
}
