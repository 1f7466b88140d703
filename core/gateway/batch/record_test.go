package batch_test

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch"
)

func TestWhatTheAuditLogCannotTakeDoesNotHappen(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", buildRequests(1))
	id := g.requireBatch("dev", file)
	g.mu.Lock()
	g.refuse = errors.New("full")
	g.mu.Unlock()
	for _, a := range []answer{g.upload("dev", buildRequests(1)), g.submit("dev", file), g.post("dev", "/v1/batches/"+id+"/cancel", "")} {
		assert.Equal(t, 503, a.status)
		assert.Equal(t, "1", a.header.Get("Retry-After"))
	}
	assert.Len(t, g.vendor.forms, 1)
	assert.Equal(t, 1, g.vendor.count("POST "))
	assert.NotEmpty(t, g.losses())
}

func TestUploadsSubmissionsAndCancellationsAreRecorded(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", request("a", "gpt-4o", "secret-text"))
	id := g.requireBatch("dev", file)
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
	file := g.requireUpload("dev", buildRequests(1))
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
		for _, a := range []answer{g.upload("dev", buildRequests(1)), g.submit("dev", file), g.get("dev", "/v1/files/"+file+"/content")} {
			assert.Equal(t, want.status, a.status)
			_, message := a.fault(t)
			assert.Equal(t, want.says, message)
		}
	}
	assert.Len(t, g.get("dev", "/v1/files").json(t)["data"], 1)
}

func TestADownloadThatBreaksOffIsSeenToBeCut(t *testing.T) {
	g := open(t, nil)
	file := g.requireUpload("dev", buildRequests(1000))
	g.vendor.script(func(v *vendor) { v.cuts = true })
	a := g.get("dev", "/v1/files/"+file+"/content")
	require.Error(t, a.err)
}

type panicking struct{}

func (panicking) Redact(context.Context, *core.Exchange) *core.Error { panic("a fault") }

func TestAFaultOfTheGatewayIsAnswered(t *testing.T) {
	faults := make(chan any, 1)
	g := open(t, func(o *batch.Options) { o.Panicked = func(_ string, v any, _ []byte) { faults <- v } })
	g.rule(func(r *batch.Rules) { r.Redactor = panicking{} })
	a := g.upload("dev", buildRequests(1))
	assert.Equal(t, 500, a.status)
	code, _ := a.fault(t)
	assert.Equal(t, core.CodeInternal, code)
	assert.Equal(t, "a fault", <-faults)
	assert.Regexp(t, `"outcome":"crashed","code":"internal_error"`, g.records()[1])
}
