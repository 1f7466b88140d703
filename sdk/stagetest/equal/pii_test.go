package equal

import (
	"testing"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/stages/pii/piitest"
	"github.com/headgate-dev/headgate/wasm"
)

// newPIISubject returns the sample pii under the cases of redaction.
func newPIISubject(r *runtime) *piitest.Subject {
	return &piitest.Subject{
		Build: func(t testing.TB, config string, tokens core.Tokens) (chain.Link, error) {
			return r.on(t, "pii", config, wasm.Options{Services: foreign.Services{Tokens: tokens}})
		},
		Asked: 64,
	}
}

func pii() stand {
	s := stand{stage: "pii", sample: "pii", language: "C", missing: map[string]string{
		"a value split over two text parts is one value": "`redact` replaces a part of one text",
		"a finding says where its value is":              "a label of a plugin has no place",
	}}
	for i := range piitest.Cases {
		s.cases = append(s.cases, piitest.Cases[i].Name)
	}
	s.run = func(t *testing.T, r *runtime, i int) { piitest.Cases[i].Run(t, newPIISubject(r)) }
	return s
}
