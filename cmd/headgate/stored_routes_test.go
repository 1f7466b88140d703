package main_test

import (
	"database/sql"
	"strings"
	"syscall"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// Without any route every provider is open, so a failed read must not look like "there is no route".
func TestAGatewayThatCannotReadItsStoredRoutesOpensNoProvider(t *testing.T) {
	t.Parallel()
	s := newAdminSite(t)
	text := strings.Replace(configText("", ""), "providers:\n", "providers:\n  spare: {type: mock}\n", 1)
	before, rest, _ := strings.Cut(text, "routes:\n")
	_, after, _ := strings.Cut(rest, "tenants:\n")
	s.write("gateway.yaml", []byte(before+"tenants:\n"+after))
	g := s.serve("--config", "gateway.yaml")
	c := g.client(testKey)
	assert.Equal(t, 200, c.chat(t, "spare/mock-echo", "hello").status, "there is no route")
	g.admin(201, "POST", "/routes", `{"model_pattern":"house","providers":[{"provider":"mock"}]}`)
	eventually(t, "the first route closes providers that it does not name", func() bool { return c.chat(t, "spare/mock-echo", "hello").status == 404 })

	db, err := sql.Open("sqlite3", s.path("headgate.db"))
	require.NoError(t, err)
	defer func() { assert.NoError(t, db.Close()) }()
	run := func(statement string) {
		_, err := db.Exec(statement)
		require.NoError(t, err)
	}
	run("ALTER TABLE route RENAME TO away")
	g.signal(syscall.SIGHUP)
	eventually(t, "the reload is refused", func() bool { return g.metric("headgate_config_refused") == 1 })
	assert.Equal(t, 404, c.chat(t, "spare/mock-echo", "hello").status)
	assert.Equal(t, 200, c.chat(t, "mock/mock-echo", "hello").status, "the last good configuration serves")
	g.stop()

	f := s.run("serve", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code, "a start that cannot read them fails")
	assert.Contains(t, f.err, "route")

	run("ALTER TABLE away RENAME TO route")
	g = s.serve("--config", "gateway.yaml")
	c = g.client(testKey)
	assert.Equal(t, 404, c.chat(t, "spare/mock-echo", "hello").status, "from the first exchange on")
	assert.Equal(t, 200, c.chat(t, "mock/mock-echo", "hello").status)
}
