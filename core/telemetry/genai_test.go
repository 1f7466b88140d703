package telemetry

import (
	"fmt"
	"strings"
	"testing"
	"time"
	"unsafe"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

func TestCallsToProvidersAreCountedAsTheConventionsSay(t *testing.T) {
	m, err := New(Options{Out: new(paper)})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	x := exchange()
	x.Target.Provider = "azure-openai"
	m.RecordExchange(x, 3*time.Second)
	x.Outcome.Kind = core.UpstreamErr
	x.Usage.Reported = false
	m.RecordExchange(x, 3*time.Second)
	x.Attempts = nil // no provider was called
	m.RecordExchange(x, 3*time.Second)
	text := scrape(t, m)
	const labels = `gen_ai_operation_name="chat",gen_ai_provider_name="azure.ai.openai",gen_ai_request_model="gpt-test",gen_ai_response_model=`
	for _, line := range []string{
		`gen_ai_client_operation_duration_seconds_sum{error_type="",` + labels + `"gpt-test"} 3`,
		`gen_ai_client_operation_duration_seconds_sum{error_type="upstream_error",` + labels + `""} 3`,
		`gen_ai_client_operation_duration_seconds_bucket{error_type="",` + labels + `"gpt-test",le="2.56"} 0`,
		`gen_ai_client_operation_duration_seconds_bucket{error_type="",` + labels + `"gpt-test",le="5.12"} 1`,
		`gen_ai_client_token_usage_sum{` + labels + `"gpt-test",gen_ai_token_type="input"} 5`,
		`gen_ai_client_token_usage_bucket{` + labels + `"gpt-test",gen_ai_token_type="output",le="4"} 1`,
	} {
		assert.Contains(t, text, line+"\n")
	}
}

func TestModelsBecomeLabelsOnlyWhenAProviderHasAnsweredAndOnlySoMany(t *testing.T) {
	m, err := New(Options{Out: new(paper)})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	x := exchange()
	x.Outcome.Kind = core.UpstreamErr
	for i := range 1000 {
		x.Target.Model = fmt.Sprint("made-up-", i)
		m.RecordExchange(x, time.Second)
	}
	assert.NotContains(t, scrape(t, m), "made-up-")
	x.Outcome.Kind = core.Served
	for i := range 1000 {
		x.Target.Model = fmt.Sprint("answered-", i)
		m.RecordExchange(x, time.Second)
	}
	text := scrape(t, m)
	assert.Equal(t, maxModels, strings.Count(text, `gen_ai_client_operation_duration_seconds_count{`)-2, "and two for all others")
	assert.Contains(t, text, `gen_ai_request_model="_OTHER",gen_ai_response_model="_OTHER"} 936`)
}

func TestALabelKeepsNothingOfTheRequestsBytes(t *testing.T) {
	m, err := New(Options{Out: new(paper)})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	x, body := exchange(), []byte("gpt-test")
	x.Target.Model = unsafe.String(&body[0], len(body)) // as a shape reads a model
	m.RecordExchange(x, time.Second)
	x.Outcome.Kind = core.UpstreamErr
	m.RecordExchange(x, time.Second)
	copy(body, "a secret") // the next request's
	text := scrape(t, m)
	assert.NotContains(t, text, "a secret")
	assert.Contains(t, text, `gen_ai_client_operation_duration_seconds_count{error_type="upstream_error",gen_ai_operation_name="chat",`+
		`gen_ai_provider_name="openai",gen_ai_request_model="gpt-test",gen_ai_response_model=""} 1`)
}

func TestEachOperationHasTheConventionsWord(t *testing.T) {
	for dialect, want := range map[string]string{
		"openai.chat": "chat", "openai.responses": "chat", "anthropic.messages": "chat", "ollama.chat": "chat", "cohere.chat": "chat", "bedrock.converse": "chat",
		"openai.completions": "text_completion", "openai.embeddings": "embeddings", "gemini.generate": "generate_content",
	} {
		assert.Equal(t, want, nameOperation(&core.Exchange{Dialect: dialect}), dialect)
	}
	assert.Equal(t, "embeddings", nameOperation(&core.Exchange{Dialect: "gemini.generate", Head: core.Head{Task: llm.TaskEmbed}}))
	assert.Equal(t, "count_tokens", nameOperation(&core.Exchange{Dialect: "anthropic.count_tokens", Head: core.Head{Task: llm.TaskCount}}))
}

func TestRequestsToTheControlPlaneAreCountedByOperation(t *testing.T) {
	m, err := New(Options{Out: new(paper)})
	require.NoError(t, err)
	defer func() { require.NoError(t, m.Close()) }()
	for range 2 {
		m.RecordRequest("GET", "/admin/v1/tenants/:id", "trace", 200, time.Second)
	}
	m.RecordRequest("GET", "/status", "trace", 200, time.Second)
	m.RecordRequest("GET", "", "trace", 404, time.Second)
	text := scrape(t, m)
	assert.Contains(t, text, `headgate_admin_requests_total{operation="GET /admin/v1/tenants/:id",status="200"} 2`+"\n")
	assert.Contains(t, text, `headgate_admin_request_seconds_total{operation="GET /admin/v1/tenants/:id"} 2`+"\n")
	assert.Equal(t, 1, strings.Count(text, "headgate_admin_requests_total{"))
}
