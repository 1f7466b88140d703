package stages

import (
	"context"
	"strings"
	"testing"

	"github.com/stretchr/testify/require"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/pii"
)

// settings is a stage's block of the configuration.
type settings string

func (s settings) Decode(v any) error { return yaml.Unmarshal([]byte(s), v) }

// answer is ordinary English with a value now and then.
const answer = `The order left the warehouse on Monday, and the courier says that it will arrive within three days. You can write to
anna.k@example.org if it does not, or call the desk before noon. The refund of 14500 for the damaged part was sent to the account on file, though the bank
may take a week to show it. Is there anything else that we should look at before the meeting in October? The notes list four open actions, each with an owner. `

// BenchmarkDelta measures the cost of all filters for 20 bytes of an answer. The links run one after the other, and
// each gets what the one before it has released.
func BenchmarkDelta(b *testing.B) {
	made := func(f func(core.Settings) (core.Stage, error), s settings) core.StreamStage {
		st, err := f(s)
		require.NoError(b, err)
		return st.(core.StreamStage)
	}
	x := new(core.Exchange)
	ctx := context.Background()
	text := strings.Repeat(answer, 3)
	links := []struct {
		stage core.StreamStage
		from  int // of text: what is held back
		to    int // of text: what has arrived
	}{
		{stage: made(guardrail.New, "{}")},
		{stage: made(func(s core.Settings) (core.Stage, error) { return pii.New(s, nil) }, "response: redact")},
	}
	filters := make([]core.StreamFilter, len(links))
	for i := range links {
		var err error
		filters[i], err = links[i].stage.Stream(ctx, x, nil)
		require.NoError(b, err)
	}
	b.ReportAllocs()
	for b.Loop() {
		if links[0].to+20 > len(text) {
			for i := range links {
				links[i].from -= len(answer)
				links[i].to -= len(answer)
			}
		}
		came := 20
		for i := range links {
			l := &links[i]
			if came == 0 {
				break
			}
			context := max(0, l.from-96) // the chain shows this much of the released text
			_, hold, err := filters[i].Check(ctx, core.Window{
				Part: core.Part{Kind: core.KindText}, Text: text[context : l.to+came], Sent: l.from - context, New: l.to - context,
			})
			if err != nil {
				b.Fatal(err)
			}
			l.to += came
			came = l.to - hold - l.from
			l.from = l.to - hold
		}
	}
}
