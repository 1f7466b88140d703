package main_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// A rule at a node requests an approval, which is decided at the control plane and in force at the node.
func TestANodesRequestIsApprovedAtItsControlPlane(t *testing.T) {
	_, c := central(
		t,
		"127.0.0.1:0",
		"policies:\n  - {id: p, dsl: \"rules: [{id: ask, conditions: {model.in: [mock-json]}, action: REQUIRE_APPROVAL, deny_message: Ask first.}]\"}\n",
		"  - {stage: policy}\n  - {stage: pii}\n",
	)
	n := nodeOf(t, "edge-1", c.addr, "")
	ask := n.client(testKey)
	require.Equal(t, http.StatusForbidden, ask.chat(t, "mock-json", "hello").status)
	var id string
	eventually(t, "the request is at the control plane", func() bool {
		list := c.admin(200, "GET", "/approvals?status=PENDING", "")["data"].([]any)
		if len(list) == 1 {
			id = list[0].(map[string]any)["id"].(string)
		}
		return id != ""
	})
	c.admin(200, "POST", "/approvals/"+id+"/approve", "")
	eventually(t, "the approval is in force at the node", func() bool { return ask.chat(t, "mock-json", "hello").status == http.StatusOK })
	assert.Len(t, c.admin(200, "GET", "/approvals", "")["data"].([]any), 1, "a decided request is not repeated")
}
