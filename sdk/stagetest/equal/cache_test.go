package equal

import (
	"strings"
	"sync"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/stages/cache/cachetest"
	"github.com/headgate-dev/headgate/wasm"
)

// roomOf maps stages to the values that a gateway without a shared state gives them.
var roomOf sync.Map

// newCacheSubject returns the sample cache under the cases of caches.
func newCacheSubject(r *runtime) *cachetest.Subject {
	return &cachetest.Subject{
		Build: func(t testing.TB, config string, d cachetest.Deps) (chain.Link, error) {
			o := wasm.Options{State: d.State, Services: foreign.Services{Reply: dialect.ParseReply, Now: d.Now}}
			room := new(cachetest.Values)
			if d.State == nil && !strings.Contains(config, "shared") {
				o.State = cachetest.OpenState(room)
			}
			l, err := r.on(t, "cache", config, o)
			roomOf.Store(l.Stage, room)
			return l, err
		},
		Bodies: func(l chain.Link) (out []string) {
			const head = 12 // see HEAD in the sample
			room, _ := roomOf.Load(l.Stage)
			for _, v := range room.(*cachetest.Values).ListValues() {
				out = append(out, string(v[head:]))
			}
			return out
		},
	}
}

func cache() stand {
	const waits = "a plugin cannot wait for another exchange: it would occupy an instance while it waits"
	s := stand{stage: "cache", sample: "cache", language: "Rust", missing: map[string]string{
		"equal requests that come together are one call":                        waits,
		"when the first of equal requests fails the others go on by themselves": waits,
		"a request waits for a limited time and no longer than its client":      waits,
		"bounds of the memory are checked":                                      "the host bounds what a plugin stores, by tenant and link",
	}}
	const clock = "it moves the gateway's clock, and a process has its own"
	s.apart = map[string]string{
		"an equal request is answered from the cache":    clock,
		"a client decides over the cache":                clock,
		"an answer is given for its time only":           clock,
		"a panic of the store leaves no request waiting": "the gateway answers a panic of the store with an error, which the sample takes for a store that is away",
	}
	for i := range cachetest.Cases {
		s.cases = append(s.cases, cachetest.Cases[i].Name)
	}
	s.run = func(t *testing.T, r *runtime, i int) { cachetest.Cases[i].Run(t, newCacheSubject(r)) }
	return s
}

func TestACacheInAModuleNeedsAllTexts(t *testing.T) {
	_, err := asModule(t, "cache", "{}", wasm.Options{State: cachetest.OpenState(new(cachetest.Values)), Grant: foreign.Grant{Capabilities: []string{"state"}}})
	require.ErrorContains(t, err, `the capability "body"`)
}
