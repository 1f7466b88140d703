package wasm

import (
	"context"
	"encoding/json"
	"errors"
	"strings"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// FuzzWhateverAStageCallsItsVerdictFitsOrItIsAFault runs arbitrary steps in any phase. The chain must be able to carry out the verdict,
// or the result is a fault that reveals nothing of the exchange.
func FuzzWhateverAStageCallsItsVerdictFitsOrItIsAFault(f *testing.F) {
	for _, steps := range []string{
		"* R 1 1 99 4294967280;", "* R 5 0 0 0 4294967295 1;", "* R 10 4294967288 32;", "* e 1 0 7 x;* e 1 0 0 y;", "1 t 1 k 1 1 1;* s 1 1;5 s 1 1;",
		"* d a b 4294967295;* o;", "* R 13 1 1 1 1 2147483647;", "* R 3 0 4294967295 0 4294967295;", "* x 1;", "* p x;* a x-a b;* a odd 1e-9;",
	} {
		f.Add(steps, uint8(1))
	}
	f.Fuzz(func(t *testing.T, steps string, phase uint8) {
		config, err := json.Marshal(map[string]string{"script": steps})
		if err != nil || len(config) > 4000 || strings.Contains(steps, "w") { // it would run for ever; another test covers that
			t.Skip()
		}
		m := allManifest()
		v, err := Load(context.Background(), LoadOptions{
			Source: testModule(
				t,
				"stage",
			),
			Name:     "scripted.wasm",
			Manifest: m,
			Config:   config,
			Limits:   Limits{Timeout: time.Second},
			Cache:    sharedCache(t),
		})
		if err != nil {
			t.Fatal(err)
		}
		st, err := NewPlugin(v, Options{Link: "link", State: noState{}, Answer: refuseAnswer})
		if err != nil {
			t.Fatal(err)
		}
		c, err := chain.New(
			[]chain.Link{{Name: "link", Stage: st, Phases: core.NewPhaseSet(core.Request, core.Target, core.Response), Mode: chain.Enforce}},
			nil,
		)
		if err != nil {
			t.Fatal(err)
		}
		defer func() { _ = c.Close(context.Background()) }()
		x := newConversation(t)
		switch uint32(phase)%abi.PhaseFinish + 1 {
		case abi.PhaseTarget:
			c.RunTarget(context.Background(), x)
		case abi.PhaseResponse:
			c.RunResponse(context.Background(), x)
		default:
			c.RunRequest(context.Background(), x)
		}
		c.Finish(context.Background(), x)
		for _, visit := range x.Visits {
			if visit.Fault == core.FaultPanic || visit.Fault == core.FaultVerdict {
				t.Fatalf("%q in phase %d: %s", steps, visit.Phase, visit.Fault)
			}
		}
		var e *Error
		if _, err = st.Check(context.Background(), newConversation(t), core.Request, nil); err != nil && !errors.As(err, &e) {
			t.Fatal(err)
		}
	})
}
