package main_test

import (
	"net/http"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A file of requests must not bypass the chain that calls pass.
func TestLinesAndResultsOfBatchesPassTheGuardsThatCallsPass(t *testing.T) {
	t.Parallel()
	v := newBatchVendor(t)
	s := newSite(t)
	links := "  - {name: pii, stage: pii}\n  - {stage: policy}\n" +
		"  - {stage: guardrail, config: {detectors: [{type: keywords, words: [project falcon], action: block}]}}\n" +
		"  - {stage: ratelimit, config: {limits: [{per: [key], requests: 2, period: 1h}]}}\n"
	config := configText(v.URL, links) +
		"policies:\n  - {id: p, dsl: \"rules: [{id: no, conditions: {pii.types_any: [CREDIT_CARD]}, action: DENY, deny_message: No cards.}]\"}\n"
	s.write("gateway.yaml", []byte(config))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	line := func(id, text string) string {
		return `{"custom_id":"` + id + `","method":"POST","url":"/v1/chat/completions","body":{"model":"gpt-4o","messages":[{"role":"user","content":"` + text + `"}]}}` + "\n"
	}
	falcon, card := line("a", "hello")+line("b", "tell me of project falcon"), line("a", "hello")+line("b", "4111 1111 1111 1111")
	assert.Equal(t, http.StatusOK, c.upload(t, falcon).status, "only live calls are checked")
	assert.Contains(t, g.out.String()+g.errs.String(), "BATCH_UNGUARDED")

	s.write("gateway.yaml", []byte(config+"batch: {guards: enforce}\n"))
	eventually(t, "the guards check the lines", func() bool { return c.upload(t, falcon).status == http.StatusBadRequest })
	a := c.upload(t, falcon)
	assert.Contains(t, a.body, "line 2: ")
	a = c.upload(t, card)
	assert.Equal(t, http.StatusForbidden, a.status, a.body)
	assert.Contains(t, a.body, "line 2: No cards.")

	file := c.uploadBatch(t, line("a", "write to jo@example.com"))
	assert.NotContains(t, v.uploaded, "jo@example.com")
	id := c.askField(t, "POST", "/v1/batches", `{"input_file_id":"`+file+`","endpoint":"/v1/chat/completions","completion_window":"24h"}`, "id")
	v.finish(t)
	v.mu.Lock()
	v.result += strings.ReplaceAll(strings.Replace(v.result, `"custom_id":"a"`, `"custom_id":"b"`, 1), "write to", "project falcon")
	v.mu.Unlock()
	var out string
	eventually(t, "the batch ends", func() bool {
		out = c.askField(t, "GET", "/v1/batches/"+id, "", "output_file_id")
		return out != ""
	})
	a, err := c.do("GET", "/v1/files/"+out+"/content", nil)
	require.NoError(t, err)
	body := a.body
	assert.Contains(t, body, "write to jo@example.com")
	assert.Contains(t, body, `"custom_id":"b","response":null,"error":{"code":"content_filter"`)
	assert.NotContains(t, body, "falcon")
}
