package main_test

import (
	"net/http"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAModuleInTheRoleOfThePIIStageIsTreatedLikeIt(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.copy("plugins/employee-id.wasm", sample(t))
	policies := "policies:\n  - {id: p, dsl: \"rules: [{id: no, conditions: {pii.types_any: [employee_id]}, action: DENY, deny_message: No badges.}]\"}\n"
	chain := func(role string) string {
		return "  - {wasm: employee-id.wasm, name: badges" + role + ", config: {action: flag}}\n  - {stage: policy}\n"
	}
	s.write("gateway.yaml", []byte(configText("", "  - {stage: cache}\n  - {wasm: employee-id.wasm, role: pii}\n")))
	f := s.run("validate", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err+f.out, "CACHE_BEFORE_PII")

	s.write("gateway.yaml", []byte(configText("", chain(", role: pii"))+policies))
	c := s.serve("--config", "gateway.yaml").client(testKey)
	a, err := c.try("mock-echo", "badge EMP-123456")
	require.NoError(t, err)
	assert.Equal(t, http.StatusForbidden, a.status, a.body)
	assert.Contains(t, a.body, "No badges.")

	s.write("gateway.yaml", []byte(configText("", chain(""))+policies))
	eventually(t, "without the role it is a detector", func() bool {
		a, err := c.try("mock-echo", "badge EMP-123456")
		return err == nil && a.status == http.StatusOK
	})
}
