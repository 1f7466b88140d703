package pii

import (
	"context"
	"fmt"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
)

// BenchmarkCheck is the stage's work on a request as the benchmark of the whole gateway
// sends it, in turns of some 4 KB, with the types of its configuration.
func BenchmarkCheck(b *testing.B) {
	st, err := New(block("types: [EMAIL, CREDIT_CARD, US_SSN, IBAN, PHONE, IP_ADDRESS]"), nil)
	require.NoError(b, err)
	for _, kb := range []int{1, 8, 100} {
		var x core.Exchange
		for _, turn := range chatTurns(kb << 10) {
			x.Request.AddText(core.Segment{Role: core.RoleUser, Kind: core.KindText}, turn)
		}
		b.Run(fmt.Sprintf("%dKB", kb), func(b *testing.B) {
			b.SetBytes(int64(kb << 10))
			b.ReportAllocs()
			var kept any
			for b.Loop() {
				v, err := st.Check(context.Background(), &x, core.Request, kept)
				if err != nil {
					b.Fatal(err)
				}
				kept = v.Keep
			}
			b.ReportMetric(float64(len(kept.(*work).findings)), "findings")
		})
	}
}
