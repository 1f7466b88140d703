package chain_test

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

func TestFindingsOfALinkForPersonalDataCountAsPersonalData(t *testing.T) {
	finder := &guard{check: func(*core.Exchange, core.Phase, any) (core.Verdict, error) {
		return core.Verdict{Action: core.Pass, Findings: []core.Finding{
			{Label: "badge", Kind: core.FoundDetector, Start: 0, End: 5},
			{Label: "rule", Kind: core.FoundPolicy},
		}}, nil
	}}
	for _, c := range []struct {
		name     string
		personal bool
		want     []core.FindingKind
	}{
		{"a link without a role keeps what the plugin says", false, []core.FindingKind{core.FoundDetector, core.FoundPolicy}},
		{"a link in the role pii finds values, and rules stay rules", true, []core.FindingKind{core.FoundPII, core.FoundPolicy}},
	} {
		t.Run(c.name, func(t *testing.T) {
			l := link("finder", finder)
			l.Personal = c.personal
			x := newRequest(t, helloRequest)
			require.Equal(t, core.Pass, newChain(t, nil, l).RunRequest(context.Background(), x).Action)
			require.Len(t, x.Findings, 2)
			assert.Equal(t, c.want, []core.FindingKind{x.Findings[0].Kind, x.Findings[1].Kind})
		})
	}
}
