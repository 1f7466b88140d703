package batch_test

import (
	"context"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestReadsAskTheProviderEveryFewSecondsAtMost(t *testing.T) {
	g := open(t, nil)
	id := g.requireBatch("dev", g.requireUpload("dev", buildRequests(1)))
	var wg sync.WaitGroup
	for range 20 {
		wg.Go(func() { assert.Equal(t, 200, g.get("dev", "/v1/batches/"+id).status) })
	}
	wg.Wait()
	assert.Equal(t, 1, g.vendor.count("GET /v1/batches/"))
	g.pass(4 * time.Second)
	g.get("dev", "/v1/batches/"+id)
	assert.Equal(t, 1, g.vendor.count("GET /v1/batches/"))
	g.pass(2 * time.Second)
	g.vendor.script(func(v *vendor) { v.broken = 503 })
	a := g.get("dev", "/v1/batches/"+id)
	assert.Equal(t, 2, g.vendor.count("GET /v1/batches/"))
	assert.Equal(t, "validating", a.json(t)["status"], "a provider that fails leaves the batch as it was")
	assert.NotEmpty(t, g.losses())
}

func TestBatchesSurviveARestart(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", buildRequests(2))
	id := g.requireBatch("dev", file)
	mockFile := g.requireUpload("dev", request("m", "mock-echo", "x"))
	mockBatch := g.requireBatch("dev", mockFile)
	g.restart()
	assert.Equal(t, "in.jsonl", g.get("dev", "/v1/files/"+file).json(t)["filename"])
	assert.Contains(t, g.get("dev", "/v1/files/"+file+"/content").body, `"r1"`)
	g.vendor.finish(result("r0", "x", 3, 1))
	var j map[string]any
	for by := time.Now().Add(generous); j["status"] != "completed" && time.Now().Before(by); { // the new process asks too
		g.pass(time.Minute)
		j = g.get("dev", "/v1/batches/"+id).json(t)
	}
	assert.Equal(t, "completed", j["status"])
	assert.Equal(t, map[string]any{"run": "7"}, j["metadata"])
	assert.Eventually(t, func() bool { return len(g.usage()) == 1 }, generous, time.Millisecond)

	for _, path := range []string{"/v1/files/" + mockFile, "/v1/files/" + mockFile + "/content", "/v1/batches/" + mockBatch} {
		a := g.get("dev", path)
		assert.Equal(t, 404, a.status, path)
		code, _ := a.fault(t)
		assert.Equal(t, core.CodeNotFound, code)
	}
	g.restart()
	assert.Equal(t, "completed", g.get("dev", "/v1/batches/"+id).json(t)["status"])
	assert.Len(t, g.usage(), 1, "booked once, over restarts")
}

func TestABatchThatNobodyAsksAboutIsBookedToo(t *testing.T) {
	g := open(t, func(o *batch.Options) { o.Watch, o.Clock = 5*time.Millisecond, time.Now })
	g.requireBatch("dev", g.requireUpload("dev", buildRequests(1)))
	g.vendor.script(func(v *vendor) { v.broken = 500 })
	assert.Eventually(t, func() bool { return g.vendor.count("GET /v1/batches/") > 2 }, generous, time.Millisecond)
	g.vendor.script(func(v *vendor) { v.broken, v.cuts = 0, true })
	g.vendor.finish(result("r0", "x", 3, 1))
	assert.Eventually(
		t,
		func() bool { return g.vendor.count("GET /v1/files/file-out/content") > 2 },
		generous,
		time.Millisecond,
		"a file cut off is read again",
	)
	assert.Empty(t, g.usage())
	g.vendor.script(func(v *vendor) { v.cuts = false })
	assert.Eventually(t, func() bool { return len(g.usage()) == 1 && len(openJobs(t, g)) == 0 }, generous, time.Millisecond)
	assert.Equal(t, int64(3), g.usage()[0].Input)
}

// A queue that is full is asked again: whoever sent the batch pays once.
func TestABatchIsChargedOnceHoweverOftenItsRecordIsTurnedAway(t *testing.T) {
	charged, asked := 0, 0
	g := open(t, func(o *batch.Options) {
		o.Charge = func(_ context.Context, r *meter.Record) {
			charged++
			r.Cost = 7
		}
		book := o.Book
		o.Book = func(ctx context.Context, r *meter.Record) error {
			if asked++; asked < 4 {
				return store.ErrBusy
			}
			return book(ctx, r)
		}
	})
	id := g.requireBatch("dev", g.requireUpload("dev", buildRequests(1)))
	g.vendor.finish(result("r0", "x", 3, 1))
	g.get("dev", "/v1/batches/"+id)
	require.Eventually(t, func() bool { return len(g.usage()) == 1 }, generous, time.Millisecond)
	assert.Equal(t, int64(7), g.usage()[0].Cost)
	assert.Equal(t, [2]int{1, 4}, [2]int{charged, asked})
}

func TestResultsOfSeveralModelsAreBookedApart(t *testing.T) {
	g := open(t, nil)
	id := g.requireBatch("dev", g.requireUpload("dev", request("a", "gpt-4o", "x")+request("b", "mini", "x")))
	g.vendor.finish(result("a", "x", 1, 1) +
		strings.Replace(result("b", "x", 5, 5), "gpt-4o-2024-08-06", "gpt-4o-mini-2024", 1) +
		`{"custom_id":"c","response":{"status_code":400,"body":{"error":{}}},"error":null}` + "\nnonsense\n" +
		`{"custom_id":"d","response":{"body":{"model":"gpt-4o-2024","usage":{"input_tokens":7,"output_tokens":2,"input_tokens_details":{"cached_tokens":3},"output_tokens_details":{"reasoning_tokens":1}}}}}`)
	g.get("dev", "/v1/batches/"+id)
	assert.Eventually(t, func() bool { return len(g.usage()) == 2 }, generous, time.Millisecond)
	u := g.usage()
	assert.Equal(t, []any{"gpt-4o-2024", "gpt-4o", int64(8), int64(3), int64(4), int64(3)},
		[]any{u[0].Model, u[0].ModelRequested, u[0].Input, u[0].Output, u[0].Cached, u[0].Reasoning})
	assert.Equal(t, []any{"gpt-4o-mini", "mini", int64(5)}, []any{u[1].Model, u[1].ModelRequested, u[1].Input})
}
