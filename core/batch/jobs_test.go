package batch_test

import (
	"context"
	"errors"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/batch"
	"github.com/headgate-dev/headgate/core/meter"
	"github.com/headgate-dev/headgate/core/store"
)

func TestABatchIsSubmittedFollowedAndReadUnderTheGatewaysIDs(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", request("a", "gpt-4o", "x")+request("b", "gpt-4o", "y"))
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
	assert.Equal(t, []string{`POST /v1/batches {"input_file_id":"file-vendor1","endpoint":"/v1/chat/completions","completion_window":"24h"}`}, g.vendor.sent,
		"metadata is the client's and stays here")

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
	assert.Equal(t, 30.0, g.get("dev", "/v1/batches/"+id).json(t)["usage"].(map[string]any)["input_tokens"]) //nolint:testifylint // a whole number

	for range 3 {
		g.pass(time.Hour)
		g.get("dev", "/v1/batches/"+id)
	}
	assert.Equal(t, 1, g.vendor.count("GET /v1/batches/"), "what has ended is not asked about")
	assert.Len(t, g.usage(), 1, "booked once")
}

func TestReadsAskTheProviderEveryFewSecondsAtMost(t *testing.T) {
	g := open(t, nil)
	id := g.submitted("dev", g.uploaded("dev", many(1)))
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

func TestABatchIsCancelledAndDoesNotGoBack(t *testing.T) {
	g := open(t, nil)
	id := g.submitted("dev", g.uploaded("dev", many(1)))
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
	list, err := g.db.OpenBatchJobs(context.Background(), time.Time{}.AddDate(1970, 0, 0), 10)
	require.NoError(t, err)
	return list
}

func TestAFailedBatchTellsWhichLinesWereWrong(t *testing.T) {
	g := open(t, nil)
	id := g.submitted("dev", g.uploaded("dev", many(1)))
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

func TestBatchesSurviveARestart(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", many(2))
	id := g.submitted("dev", file)
	mockFile := g.uploaded("dev", request("m", "mock-echo", "x"))
	mockBatch := g.submitted("dev", mockFile)
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
	g.submitted("dev", g.uploaded("dev", many(1)))
	g.vendor.script(func(v *vendor) { v.broken = 500 })
	assert.Eventually(t, func() bool { return g.vendor.count("GET /v1/batches/") > 2 }, generous, time.Millisecond)
	g.vendor.script(func(v *vendor) { v.broken, v.cuts = 0, true })
	g.vendor.finish(result("r0", "x", 3, 1))
	assert.Eventually(t, func() bool { return g.vendor.count("GET /v1/files/file-out/content") > 2 }, generous, time.Millisecond, "a file cut off is read again")
	assert.Empty(t, g.usage())
	g.vendor.script(func(v *vendor) { v.cuts = false })
	assert.Eventually(t, func() bool { return len(g.usage()) == 1 && len(openJobs(t, g)) == 0 }, generous, time.Millisecond)
	assert.Equal(t, int64(3), g.usage()[0].Input)
}

func TestResultsOfSeveralModelsAreBookedApart(t *testing.T) {
	g := open(t, nil)
	id := g.submitted("dev", g.uploaded("dev", request("a", "gpt-4o", "x")+request("b", "mini", "x")))
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

func TestASubmissionThatIsWrongIsRefused(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", many(1))
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
		"a field unknown":  {body(`,"priority":1`), `the field "priority" is not known`, 400},
		"no file":          {`{}`, `you must provide the parameter "input_file_id"`, 400},
		"no endpoint":      {`{"input_file_id":"x"}`, `you must provide the parameter "endpoint"`, 400},
		"no window":        {`{"input_file_id":"x","endpoint":"y"}`, `you must provide the parameter "completion_window"`, 400},
		"another window":   {strings.Replace(body(""), "24h", "1h", 1), `must be "24h"`, 400},
		"another endpoint": {strings.Replace(body(""), "/v1/chat/completions", "/v1/embeddings", 1), "the requests in the file are for /v1/chat/completions", 400},
		"no such file":     {strings.Replace(body(""), file, "file-nope", 1), "there is no such file", 404},
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

func TestTenantsSeeTheirOwnFilesAndBatchesOnly(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", many(1))
	id := g.submitted("dev", file)
	for _, path := range []string{"/v1/files/" + file, "/v1/files/" + file + "/content", "/v1/batches/" + id} {
		assert.Equal(t, 404, g.get("foreign", path).status, path)
	}
	assert.Equal(t, 404, g.call("foreign", "DELETE", "/v1/files/"+file, "", nil).status)
	assert.Equal(t, 404, g.post("foreign", "/v1/batches/"+id+"/cancel", "").status)
	assert.Equal(t, 404, g.submit("foreign", file).status)
	assert.Empty(t, g.get("foreign", "/v1/files").json(t)["data"])
	assert.Empty(t, g.get("foreign", "/v1/batches").json(t)["data"])
	assert.Equal(t, 404, g.get("foreign", "/v1/files?after="+file).status)
	assert.Equal(t, 200, g.get("mate", "/v1/batches/"+id).status)
}

func TestASuspendedTenantReadsAndCancelsButStartsNothing(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", many(1))
	id := g.submitted("dev", file)
	for _, a := range []answer{g.upload("suspended", many(1)), g.submit("suspended", file)} {
		assert.Equal(t, 403, a.status)
		code, _ := a.fault(t)
		assert.Equal(t, core.CodeTenantSuspended, code)
	}
	assert.Len(t, g.vendor.forms, 1)
	for _, path := range []string{"/v1/files", "/v1/files/" + file, "/v1/files/" + file + "/content", "/v1/batches", "/v1/batches/" + id} {
		assert.Equal(t, 200, g.get("suspended", path).status, path)
	}
	assert.Equal(t, 200, g.post("suspended", "/v1/batches/"+id+"/cancel", "").status)
}

func TestAKeyNeedsTheScope(t *testing.T) {
	g := open(t, nil)
	for _, path := range []string{"/v1/files", "/v1/files/x", "/v1/files/x/content", "/v1/batches", "/v1/batches/x"} {
		a := g.get("chatter", path)
		assert.Equal(t, 403, a.status, path)
		code, message := a.fault(t)
		assert.Equal(t, core.CodeForbidden, code)
		assert.Contains(t, message, "batches:write")
		a = g.get("nobody", path)
		assert.Equal(t, 401, a.status, path)
		assert.Equal(t, "Bearer", a.header.Get("Www-Authenticate"))
	}
	assert.Equal(t, 403, g.upload("chatter", many(1)).status)
}

func TestListsComeInPages(t *testing.T) {
	g := open(t, nil)
	var files, batches []string
	for range 5 {
		f := g.uploaded("dev", many(1))
		files, batches = append(files, f), append(batches, g.submitted("dev", f))
	}
	page := func(path string) (ids []string, more bool) {
		a := g.get("dev", path)
		require.Equal(t, 200, a.status, a.body)
		v := a.json(t)
		for _, o := range v["data"].([]any) {
			ids = append(ids, o.(map[string]any)["id"].(string))
		}
		if len(ids) > 0 {
			assert.Equal(t, ids[0], v["first_id"])
			assert.Equal(t, ids[len(ids)-1], v["last_id"])
		}
		return ids, v["has_more"].(bool)
	}
	for path, all := range map[string][]string{"/v1/files": files, "/v1/batches": batches} {
		ids, more := page(path + "?limit=2")
		assert.Equal(t, []string{all[4], all[3]}, ids)
		assert.True(t, more)
		ids, more = page(path + "?limit=2&after=" + all[2])
		assert.Equal(t, []string{all[1], all[0]}, ids)
		assert.False(t, more)
		ids, _ = page(path + "?order=asc&limit=1")
		assert.Equal(t, all[:1], ids)
		for _, q := range []string{"?limit=0", "?limit=x", "?limit=10001", "?order=up"} {
			assert.Equal(t, 400, g.get("dev", path+q).status, q)
		}
		assert.Equal(t, 404, g.get("dev", path+"?after=nope").status)
	}
	ids, _ := page("/v1/files?purpose=batch_output")
	assert.Empty(t, ids)
}

func TestAFileIsDeletedAtTheProviderToo(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", many(1))
	a := g.call("dev", "DELETE", "/v1/files/"+file, "", nil)
	assert.Equal(t, map[string]any{"id": file, "object": "file", "deleted": true}, a.json(t))
	assert.Equal(t, 1, g.vendor.count("DELETE /v1/files/file-vendor1"))
	assert.Equal(t, 404, g.get("dev", "/v1/files/"+file).status)

	file = g.uploaded("dev", many(1))
	g.vendor.script(func(v *vendor) { v.broken = 500 })
	assert.Equal(t, 500, g.call("dev", "DELETE", "/v1/files/"+file, "", nil).status)
	g.vendor.script(func(v *vendor) { v.broken = 0; clear(v.files) })
	assert.Equal(t, 200, g.call("dev", "DELETE", "/v1/files/"+file, "", nil).status, "the provider has lost it already")
}

func TestWhatTheAuditLogCannotTakeDoesNotHappen(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", many(1))
	id := g.submitted("dev", file)
	g.mu.Lock()
	g.refuse = errors.New("full")
	g.mu.Unlock()
	for _, a := range []answer{g.upload("dev", many(1)), g.submit("dev", file), g.post("dev", "/v1/batches/"+id+"/cancel", "")} {
		assert.Equal(t, 503, a.status)
		assert.Equal(t, "1", a.header.Get("Retry-After"))
	}
	assert.Len(t, g.vendor.forms, 1)
	assert.Equal(t, 1, g.vendor.count("POST "))
	assert.NotEmpty(t, g.losses())
}

func TestUploadsSubmissionsAndCancellationsAreRecorded(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", request("a", "gpt-4o", "secret-text"))
	id := g.submitted("dev", file)
	g.post("dev", "/v1/batches/"+id+"/cancel", "")
	g.upload("dev", "nonsense")
	g.get("dev", "/v1/files")
	g.get("nobody", "/v1/files")
	r := g.records()
	require.Len(t, r, 9)
	for i, want := range []string{
		`acme GATEWAY_REQUEST .*"operation":"POST /v1/files","api_key":"gw_dev","api_key_id":"k-dev","file_id":"` + file + `","endpoint":"/v1/chat/completions","models":\["gpt-4o"\],"lines":1}`,
		`acme GATEWAY_RESPONSE .*"file_id":"` + file + `","provider":"openai","status":200,"outcome":"served","complete":true`,
		`acme GATEWAY_REQUEST .*"operation":"POST /v1/batches",.*"file_id":"` + file + `","batch_id":"` + id + `"`,
		`acme GATEWAY_RESPONSE .*"status":200`,
		`acme GATEWAY_REQUEST .*"operation":"POST /v1/batches/` + id + `/cancel"`,
		`acme GATEWAY_RESPONSE .*"batch_id":"` + id + `"`,
		`acme GATEWAY_REQUEST .*"operation":"POST /v1/files"`,
		`acme GATEWAY_RESPONSE .*"status":400,"outcome":"refused","code":"invalid_json"`,
		`^ AUTH_FAILURE .*"status":401`,
	} {
		assert.Regexp(t, want, r[i])
		assert.NotContains(t, r[i], "secret-text")
	}
}

func TestAProvidersRefusalIsTold(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", many(1))
	for status, want := range map[int]struct {
		status int
		says   string
	}{
		400: {400, "OpenAI API error 400: quota: not today"},
		401: {502, "OpenAI API error 401"},
		429: {429, "OpenAI API error 429: quota: not today"},
		500: {500, "OpenAI API error 500"},
		302: {502, "OpenAI API error 302"},
	} {
		g.vendor.script(func(v *vendor) { v.broken = status })
		for _, a := range []answer{g.upload("dev", many(1)), g.submit("dev", file), g.get("dev", "/v1/files/"+file+"/content")} {
			assert.Equal(t, want.status, a.status)
			_, message := a.fault(t)
			assert.Equal(t, want.says, message)
		}
	}
	assert.Len(t, g.get("dev", "/v1/files").json(t)["data"], 1)
}

func TestADownloadThatBreaksOffIsSeenToBeCut(t *testing.T) {
	g := open(t, nil)
	file := g.uploaded("dev", many(1000))
	g.vendor.script(func(v *vendor) { v.cuts = true })
	a := g.get("dev", "/v1/files/"+file+"/content")
	require.Error(t, a.err)
}
