package main_test

import (
	"encoding/json"
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// The policies in force implement the BatchModelCheck hook: they check each model of a file on upload, and again when a
// batch of it is submitted.
func TestPoliciesJudgeTheModelsOfABatchAtUploadAndAtSubmission(t *testing.T) {
	t.Parallel()
	v := newBatchVendor(t)
	s := newSite(t)
	config := func(denied, message string) {
		s.write("gateway.yaml", []byte(configText(v.URL, "  - stage: policy\n")+
			"policies:\n  - {id: models, dsl: \"rules: [{id: no, conditions: {model.in: ["+denied+"]}, action: DENY, deny_message: "+message+"}]\"}\n"))
	}
	config("gpt-3.5", "Not gpt-3.5.")
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	line := func(id, model string) string {
		return `{"custom_id":"` + id + `","method":"POST","url":"/v1/chat/completions","body":{"model":"` + model + `","messages":[{"role":"user","content":"hello"}]}}` + "\n"
	}
	refused := func(a answer, says string) {
		t.Helper()
		assert.Equal(t, http.StatusForbidden, a.status, a.body)
		assert.Equal(t, "POLICY_DENIED", a.code())
		var body struct{ Error struct{ Message string } }
		require.NoError(t, json.Unmarshal([]byte(a.body), &body))
		assert.Equal(t, says, body.Error.Message)
	}
	for _, model := range []string{"gpt-3.5", "real/gpt-3.5"} {
		refused(c.upload(t, line("a", "gpt-4o")+line("b", "gpt-4o")+line("c", model)), "line 3: Not gpt-3.5.")
	}
	assert.Empty(t, v.uploaded, "no part of a refused file is sent")
	file := c.uploadBatch(t, line("a", "gpt-4o"))

	config("gpt-4o", "Not gpt-4o any more.")
	submit := `{"input_file_id":"` + file + `","endpoint":"/v1/chat/completions","completion_window":"24h"}`
	eventually(t, "the new policy is in force", func() bool {
		return c.upload(t, line("a", "gpt-4o")).status == http.StatusForbidden
	})
	a, err := c.do("POST", "/v1/batches", []byte(submit))
	require.NoError(t, err)
	refused(a, "line 1: Not gpt-4o any more.")
	assert.NotContains(t, a.body, "batch_up")
}
