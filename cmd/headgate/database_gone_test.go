package main_test

import (
	"net/http"
	"os"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

func TestAGatewayWhoseDatabaseFileIsRemovedIsUnready(t *testing.T) {
	t.Parallel()
	s := newSite(t)
	s.configure("", "  - stage: pii\n")
	g := s.serve("--config", "gateway.yaml")
	ready := func() int {
		res, err := http.Get("http://" + g.addr + "/readyz")
		require.NoError(t, err)
		require.NoError(t, res.Body.Close())
		return res.StatusCode
	}
	require.Equal(t, 200, ready())
	database := s.path("headgate.db")
	require.NoError(t, os.Rename(database, database+".away"))
	eventually(t, "the gateway is unready", func() bool { return ready() == 503 })
	f := s.run("serve", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "is missing but")
	require.NoError(t, os.Rename(database+".away", database))
	eventually(t, "the gateway is ready again", func() bool { return ready() == 200 })
	g.stop()

	for _, behind := range []string{"", "-wal", "-shm"} {
		_ = os.Remove(database + behind) // the last two may be gone already
	}
	f = s.run("serve", "--config", "gateway.yaml")
	assert.Equal(t, 1, f.code)
	assert.Contains(t, f.err, "beside it is empty: its records were removed")
}
