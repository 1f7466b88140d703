package main_test

import (
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store/pgtest"
)

func TestGatewaysServeWithTheirRecordsInPostgreSQL(t *testing.T) {
	t.Parallel()
	server := pgtest.StartServer(t)
	url := server.CreateDatabase(t)
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	config := []string{"--config", "gateway.yaml", "--set", "store.url=" + url}
	verb := func(words ...string) []string { return append(words, config...) }
	f := s.run(verb("serve")...)
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "set HEADGATE_ENCRYPTION_MASTER_PASSWORD")
	s.env = append(s.env, passwordVar+"correct horse battery staple")

	g := s.serve(config...)
	require.NoError(t, g.client(testKey).checkEcho("mock-echo", "card "+card))
	f = s.run(verb("migrate", "status")...)
	assert.Zero(t, f.code, f.err)
	f = s.run(verb("backup", "copy")...)
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "pg_dump")
	assert.NoFileExists(t, s.path("headgate.db"))

	tr := g.traffic(4, time.Millisecond, "mock-echo")
	tr.awaitMore(100)
	server.Crash(t) // while exchanges run, which do not need the database
	server.Start(t)
	tr.awaitMore(100)
	tr.end()
	g.kill()
	s.verifyAudit(config...)
	g = s.serve(config...)
	assert.Equal(t, false, g.findLogLine("serving")["clean_start"])
	f = s.run(verb("keys", "create", "--name", "new")...)
	require.Zero(t, f.code, f.err)
	g.stop()
	told := s.verifyAudit(append(config, "--accept-gaps")...)
	assert.Contains(t, told, "without a shutdown")
	assert.NotContains(t, g.out.String()+g.errs.String(), "correct horse")
}
