package webhook

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/stagetest"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// A delta that does not fill a window: the cost of each 20-byte delta of a stream.
func BenchmarkDeltaWithinAWindow(b *testing.B) {
	st := newInnerStage(b, says(webhook.Verdict{Action: webhook.Pass}), Settings{Window: 4000, Overlap: 100})
	ctx, delta := context.Background(), "twenty bytes of text"
	buf := strings.Repeat(delta, 190)
	b.ReportAllocs()
	for b.Loop() {
		b.StopTimer()
		f, err := st.Stream(ctx, new(core.Exchange), nil)
		require.NoError(b, err)
		b.StartTimer()
		for n := len(delta); n <= len(buf); n += len(delta) {
			if _, _, err := f.Check(ctx, core.Window{Text: buf[:n], New: n - len(delta)}); err != nil {
				b.Fatal(err)
			}
		}
	}
	b.ReportMetric(float64(b.Elapsed().Nanoseconds())/float64(b.N*190), "ns/delta")
}

// A whole check of 4 KB over loopback, including the signatures of both sides.
func BenchmarkCheckOverLoopback(b *testing.B) {
	st := receives(b, says(webhook.Verdict{Action: webhook.Pass})).link(b)
	x := stagetest.Text{Text: strings.Repeat("some text ", 410)}.Exchange()
	b.ReportAllocs()
	for b.Loop() {
		if _, err := st.Check(context.Background(), x, core.Request, nil); err != nil {
			b.Fatal(err)
		}
	}
}
