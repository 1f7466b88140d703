package main_test

import (
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestTheAdministrativeAPIIsServedWhereAdminListenSays(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.env = append(s.env, "HEADGATE_ADMIN_TOKEN="+ownerToken)
	s.write("gateway.yaml", []byte(strings.Replace(configText("", "  - stage: pii\n"), "log:", "admin: {listen: 127.0.0.1:0}\nlog:", 1)))
	g := s.serve("--config", "gateway.yaml")
	ask := func(base, path, key string) int {
		c := g.client(key)
		defer c.http.CloseIdleConnections()
		c.base = "http://" + base
		a, err := c.do("GET", path, nil)
		require.NoError(t, err)
		return a.status
	}
	admin, _ := g.findLogLine("serving")["admin"].(string)
	require.NotEmpty(t, admin)
	assert.Equal(t, 404, ask(g.addr, "/admin/v1/tenants", ownerToken))
	assert.Equal(t, 200, ask(admin, "/admin/v1/tenants", ownerToken))
	assert.Equal(t, 401, ask(admin, "/admin/v1/tenants", testKey))
	assert.Equal(t, 200, ask(admin, "/v3/api-docs/public", ownerToken))
	assert.Equal(t, 200, ask(g.addr, "/v1/models", testKey))
	assert.Equal(t, 404, ask(admin, "/v1/models", testKey))
}
