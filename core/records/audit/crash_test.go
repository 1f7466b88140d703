package audit

import (
	"bufio"
	"context"
	"fmt"
	"os"
	"os/exec"
	"path/filepath"
	"strconv"
	"strings"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// victimPath, when set, turns this test binary into the process that the test kills.
const victimPath = "HEADGATE_TEST_VICTIM"

// TestVictim writes events until it is killed, and says now and then how many are durable.
func TestVictim(t *testing.T) {
	path := os.Getenv(victimPath)
	if path == "" {
		t.Skip("it runs only as the child of TestAKilledGatewayLosesNothingThatWasDurable")
	}
	ctx := context.Background()
	g, _ := start(t, path, testKey)
	for n := 1; ; n++ {
		require.NoError(t, g.log.Append(ctx, Event{Type: GatewayRequest, Payload: []byte(`{}`)}))
		if n%500 == 0 {
			require.NoError(t, g.log.Sync(ctx))
			fmt.Fprintf(os.Stderr, "durable %d\n", n)
		}
	}
}

func TestAKilledGatewayLosesNothingThatWasDurable(t *testing.T) {
	path := filepath.Join(t.TempDir(), "audit.db")
	cmd := exec.Command(os.Args[0], "-test.run=^TestVictim$")
	cmd.Env = append(os.Environ(), victimPath+"="+path)
	out, err := cmd.StderrPipe()
	require.NoError(t, err)
	require.NoError(t, cmd.Start())
	durable := int64(0)
	lines := bufio.NewScanner(out)
	for durable < 2000 && lines.Scan() {
		if n, ok := strings.CutPrefix(lines.Text(), "durable "); ok {
			durable, err = strconv.ParseInt(n, 10, 64)
			require.NoError(t, err)
		}
	}
	require.NoError(t, cmd.Process.Kill())
	for lines.Scan() { // what it had said before it died
		if n, ok := strings.CutPrefix(lines.Text(), "durable "); ok {
			durable, err = strconv.ParseInt(n, 10, 64)
			require.NoError(t, err)
		}
	}
	require.Error(t, cmd.Wait())
	require.GreaterOrEqual(t, durable, int64(2000))

	rep := verify(t, path, testKey)
	assert.Nil(t, rep.Broken)
	assert.GreaterOrEqual(t, rep.ByType[GatewayRequest], durable)
	last := rep.Last

	g, found := start(t, path, testKey)
	assert.False(t, found.Clean)
	assert.Equal(t, last, found.Last)
	g.stop(t, true)
	rep = verify(t, path, testKey)
	assert.Nil(t, rep.Broken)
	require.Len(t, rep.Gaps, 1)
	assert.Equal(t, last, rep.Gaps[0].After)
	db, err := store.Open(context.Background(), "sqlite:"+path)
	require.NoError(t, err)
	counts, err := db.Audit().CountByType(context.Background(), "")
	require.NoError(t, err)
	assert.Equal(t, rep.ByType, counts)
	require.NoError(t, db.Close(context.Background()))
}
