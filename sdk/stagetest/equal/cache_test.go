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

// cacheSubject is the sample cache under the cases of caches.
var cacheSubject = cachetest.Subject{
	Build: func(t testing.TB, config string, d cachetest.Deps) (chain.Link, error) {
		o := wasm.Options{State: d.State, Services: foreign.Services{Reply: dialect.ParseReply, Now: d.Now}}
		room := new(cachetest.Values)
		if d.State == nil && !strings.Contains(config, "shared") {
			o.State = cachetest.OpenState(room)
		}
		l, err := link(t, "cache", config, o)
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

func cache() stand {
	const waits = "a plugin cannot wait for another exchange: it would occupy an instance while it waits"
	s := stand{stage: "cache", sample: "cache", language: "Rust", missing: map[string]string{
		"equal requests that come together are one call":                        waits,
		"when the first of equal requests fails the others go on by themselves": waits,
		"a request waits for a limited time and no longer than its client":      waits,
		"bounds of the memory are checked":                                      "the host bounds what a plugin stores, by tenant and link",
	}}
	for i := range cachetest.Cases {
		s.cases = append(s.cases, cachetest.Cases[i].Name)
	}
	s.run = func(t *testing.T, i int) { cachetest.Cases[i].Run(t, &cacheSubject) }
	return s
}

func TestACacheInAModuleNeedsAllTexts(t *testing.T) {
	_, err := link(t, "cache", "{}", wasm.Options{State: cachetest.OpenState(new(cachetest.Values)), Grant: foreign.Grant{Capabilities: []string{"state"}}})
	require.ErrorContains(t, err, `the capability "body"`)
}
