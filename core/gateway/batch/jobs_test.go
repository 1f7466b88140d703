package batch_test

import (
	"context"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestABatchIsSubmittedFollowedAndReadUnderTheGatewaysIDs(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", request("a", "gpt-4o", "x")+request("b", "gpt-4o", "y"))
	a := g.submit("dev", file)
	require.Equal(t, 200, a.status, a.body)
	j := a.json(t)
	id := j["id"].(string)
	want := map[string]any{
		"id": id, "object": "batch", "endpoint": "/v1/chat/completions", "model": "gpt-4o", "errors": nil, "input_file_id": file,
		"completion_window": "24h", "status": "validating", "output_file_id": nil, "error_file_id": nil,
		"created_at": float64(g.now.Unix()), "in_progress_at": nil, "expires_at": nil, "finalizing_at": nil, "completed_at": nil,
		"failed_at": nil, "expired_at": nil, "cancelling_at": nil, "cancelled_at": nil,
		"request_counts": map[string]any{"total": 0.0, "completed": 0.0, "failed": 0.0}, "metadata": map[string]any{"run": "7"},
	}
	assert.Equal(t, want, j)
	assert.Equal(
		t,
		[]string{`POST /v1/batches {"input_file_id":"file-vendor1","endpoint":"/v1/chat/completions","completion_window":"24h"}`},
		g.vendor.sent,
		"metadata is the client's and stays here",
	)

	results := result("a", "one", 10, 4) + result("b", "two", 20, 6)
	g.vendor.finish(results)
	j = g.get("dev", "/v1/batches/"+id).json(t)
	out := j["output_file_id"].(string)
	assert.True(t, strings.HasPrefix(out, "file-"))
	assert.NotContains(t, out, "file-out")
	assert.Equal(t, "completed", j["status"])
	assert.InDelta(t, 13, j["completed_at"], 0)
	assert.Equal(t, map[string]any{"total": 2.0, "completed": 1.0, "failed": 1.0}, j["request_counts"])
	c := g.get("dev", "/v1/files/"+out+"/content")
	assert.Equal(t, 200, c.status)
	assert.Equal(t, results, c.body)
	assert.Equal(t, "application/octet-stream", c.header.Get("Content-Type"))

	assert.Eventually(t, func() bool { return len(g.usage()) > 0 }, generous, time.Millisecond)
	assert.Equal(t, []meter.Record{{
		ExchangeID: strings.TrimPrefix(id, "batch_"), Tenant: "acme", KeyID: "k-dev", Dialect: "openai.batches", ModelRequested: "gpt-4o",
		Provider: "openai", Model: "gpt-4o-2024", Outcome: "served", Status: 200, Input: 30, Output: 10, Cached: 2, Reasoning: 4, Counted: true,
	}}, g.usage())
	f := g.get("dev", "/v1/files/"+out).json(t)
	assert.InDelta(t, len(results), f["bytes"], 0)
	assert.Equal(t, "batch_output", f["purpose"])
	assert.Equal(t, id+"_output.jsonl", f["filename"])
	assert.Equal(t, map[string]any{
		"input_tokens": 30.0, "input_tokens_details": map[string]any{"cached_tokens": 2.0},
		"output_tokens": 10.0, "output_tokens_details": map[string]any{"reasoning_tokens": 4.0}, "total_tokens": 40.0,
	}, g.get("dev", "/v1/batches/"+id).json(t)["usage"])

	for range 3 {
		g.pass(time.Hour)
		g.get("dev", "/v1/batches/"+id)
	}
	assert.Equal(t, 1, g.vendor.count("GET /v1/batches/"), "what has ended is not asked about")
	assert.Len(t, g.usage(), 1, "booked once")
}

func TestABatchIsCancelledAndDoesNotGoBack(t *testing.T) {
	g := open(t, nil)
	id := g.requireBatch("dev", g.requireUpload("dev", buildRequests(1)))
	a := g.post("dev", "/v1/batches/"+id+"/cancel", "")
	require.Equal(t, 200, a.status, a.body)
	assert.Equal(t, "cancelling", a.json(t)["status"])
	assert.InDelta(t, 77, a.json(t)["cancelling_at"], 0)
	late := func(state string) string {
		g.vendor.script(func(v *vendor) {
			for id := range v.batches {
				v.batches[id] = state
			}
		})
		g.pass(time.Minute)
		return g.get("dev", "/v1/batches/"+id).json(t)["status"].(string)
	}
	assert.Equal(t, "cancelling", late(`"status":"in_progress"`), "an answer from before")
	assert.Equal(t, "cancelling", late(`"status":"thinking"`), "a state that is not known")
	assert.Equal(t, "cancelled", late(`"status":"cancelled","cancelled_at":78`))
	assert.Equal(t, "cancelled", late(`"status":"completed"`))
	a = g.post("dev", "/v1/batches/"+id+"/cancel", "")
	assert.Equal(t, 409, a.status)
	_, message := a.fault(t)
	assert.Equal(t, "a batch with the status cancelled cannot be cancelled", message)
	assert.Eventually(t, func() bool { return len(openJobs(t, g)) == 0 }, generous, time.Millisecond, "settled without usage")
	assert.Empty(t, g.usage())
}

func openJobs(t *testing.T, g *gate) []*store.BatchJob {
	list, err := g.db.BatchJobs().ListOpen(context.Background(), time.Time{}.AddDate(1970, 0, 0), 10)
	require.NoError(t, err)
	return list
}

func TestAFailedBatchTellsWhichLinesWereWrong(t *testing.T) {
	g := open(t, nil)
	id := g.requireBatch("dev", g.requireUpload("dev", buildRequests(1)))
	g.vendor.script(func(v *vendor) {
		for id := range v.batches {
			v.batches[id] = `"status":"failed","failed_at":5,"errors":{"object":"list","data":[{"code":"bad_model","message":"no","param":"body.model","line":1},{"code":"x","line":null}]}`
		}
	})
	j := g.get("dev", "/v1/batches/"+id).json(t)
	assert.Equal(t, "failed", j["status"])
	assert.Equal(t, map[string]any{"object": "list", "data": []any{
		map[string]any{"code": "bad_model", "message": "no", "param": "body.model", "line": 1.0},
		map[string]any{"code": "x", "param": nil, "line": nil},
	}}, j["errors"])
}

func TestASubmissionThatIsWrongIsRefused(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", buildRequests(1))
	body := func(more string) string {
		return `{"input_file_id":"` + file + `","endpoint":"/v1/chat/completions","completion_window":"24h"` + more + `}`
	}
	for name, c := range map[string]struct {
		body, says string
		status     int
	}{
		"no JSON":          {"{", "invalid JSON", 400},
		"a list":           {"[]", "the body must be a JSON object", 400},
		"a key twice":      {body(`,"endpoint":"x"`), "names a key twice", 400},
		"a wrong type":     {body(`,"metadata":{"a":1}`), `invalid type for "metadata`, 400},
		"a field unknown":  {body(`,"priority":1`), `the field "priority" is unknown`, 400},
		"no file":          {`{}`, `you must provide the parameter "input_file_id"`, 400},
		"no endpoint":      {`{"input_file_id":"x"}`, `you must provide the parameter "endpoint"`, 400},
		"no window":        {`{"input_file_id":"x","endpoint":"y"}`, `you must provide the parameter "completion_window"`, 400},
		"another window":   {strings.Replace(body(""), "24h", "1h", 1), `must be "24h"`, 400},
		"another endpoint": {strings.Replace(body(""), "/v1/chat/completions", "/v1/embeddings", 1), "the requests in the file are for /v1/chat/completions", 400},
		"no such file":     {strings.Replace(body(""), file, "file-nope", 1), "unknown file", 404},
		"long metadata":    {body(`,"metadata":{"a":"` + strings.Repeat("x", 513) + `"}`), "metadata", 400},
		"a bad expiry":     {body(`,"output_expires_after":{"anchor":"created_at","seconds":1}`), "3600", 400},
		"far too long":     {strings.Repeat(" ", 100<<10), "larger than 65536", 413},
	} {
		t.Run(name, func(t *testing.T) {
			a := g.post("dev", "/v1/batches", c.body)
			assert.Equal(t, c.status, a.status, a.body)
			_, message := a.fault(t)
			assert.Contains(t, message, c.says)
		})
	}
	assert.Zero(t, g.vendor.count("POST /v1/batches"))
	a := g.post("dev", "/v1/batches", body(`,"output_expires_after":{"anchor":"created_at","seconds":3600}`))
	require.Equal(t, 200, a.status, a.body)
	assert.Contains(t, g.vendor.sent[len(g.vendor.sent)-1], `"output_expires_after":{"anchor":"created_at","seconds":3600}`)
}
