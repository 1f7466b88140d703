package batch_test

import (
	"context"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/batch"
)

// "Cost booked at the finish": no tenant gets around it by deleting the results.
func TestResultsAreBookedBeforeTheyCanBeDeleted(t *testing.T) {
	g := open(t, nil)
	id := g.requireBatch("dev", g.requireUpload("dev", buildRequests(1)))
	g.vendor.finish(result("r0", "x", 3, 1))
	g.vendor.script(func(v *vendor) { v.cuts = true }) // reading them to the end fails
	out := g.get("dev", "/v1/batches/"+id).json(t)["output_file_id"].(string)
	a := g.call("dev", "DELETE", "/v1/files/"+out, "", nil)
	assert.Equal(t, 503, a.status, a.body)
	assert.NotEmpty(t, a.header.Get("Retry-After"))
	_, message := a.fault(t)
	assert.Contains(t, message, "the file is kept")
	assert.Empty(t, g.usage())
	assert.Zero(t, g.vendor.count("DELETE"))

	g.vendor.script(func(v *vendor) { v.cuts = false })
	assert.Equal(t, 200, g.call("dev", "DELETE", "/v1/files/"+out, "", nil).status)
	require.Len(t, g.usage(), 1, "at once, without the watch")
	assert.Equal(t, int64(3), g.usage()[0].Input)
	assert.Equal(t, 1, g.vendor.count("DELETE"))
	assert.Equal(t, 404, g.get("dev", "/v1/files/"+out).status)
}

// A round over many batches does not hold on to rules that a reload has replaced.
func TestEachBatchIsLookedAfterByTheRulesOfTheMoment(t *testing.T) {
	var mu sync.Mutex
	held, most, taken := 0, 0, 0
	g := open(t, func(o *batch.Options) {
		o.Watch, o.Clock = 5*time.Millisecond, time.Now
		rules := o.Rules
		o.Rules = func() batch.Rules {
			r := rules()
			mu.Lock()
			defer mu.Unlock()
			taken++
			held++
			most = max(most, held)
			r.Release = func() {
				mu.Lock()
				defer mu.Unlock()
				held--
			}
			return r
		}
	})
	file := g.requireUpload("dev", buildRequests(1))
	for range 3 {
		g.requireBatch("dev", file)
	}
	mu.Lock()
	before := taken
	mu.Unlock()
	assert.Eventually(t, func() bool {
		mu.Lock()
		defer mu.Unlock()
		return taken-before >= 6 && held <= 1
	}, generous, time.Millisecond, "rules for each of the three in each round")
}

// decides is a stage that lets no request through.
type decides struct{ finished *int }

func (decides) Check(context.Context, *core.Exchange, core.Phase, any) (core.Verdict, error) {
	return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.RateLimited, Code: core.CodeRateLimit, Public: "too much"}}, nil
}

var _ core.Finisher = decides{}

func (d decides) Finish(context.Context, *core.Exchange, any) { *d.finished++ }

// "Lines run no policies, guardrails or rate limits."
func TestOnlyLinksThatRedactSeeTheLinesOfAFile(t *testing.T) {
	g, finished := open(t, nil), 0
	redacting(
		t,
		g,
		"{}",
		chain.Link{
			Name:    "limit",
			Stage:   decides{&finished},
			Phases:  core.NewPhaseSet(core.Request, core.Response),
			Mode:    chain.Enforce,
			OnFault: chain.FaultBlocks,
		},
	)
	file := g.requireUpload("dev", request("a", "gpt-4o", "my card is "+card))
	assert.Regexp(t, cardToken, g.vendor.last())
	assert.Contains(t, g.get("dev", "/v1/files/"+file+"/content").body, card)
	assert.Zero(t, finished)
}
