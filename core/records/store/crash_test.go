package store

import (
	"bufio"
	"context"
	"fmt"
	"io"
	"os"
	"os/exec"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// victimURL and victimName, when set, turn this test binary into a process that a test kills: a gateway that writes
// traffic and administers.
const (
	victimURL  = "HEADGATE_TEST_STORE_VICTIM"
	victimName = "HEADGATE_TEST_STORE_NAME"
)

// TestVictim says what is durable, one line each: "traffic n" for n records of each kind, "tenant id" for a tenant.
func TestVictim(t *testing.T) {
	url, name := os.Getenv(victimURL), os.Getenv(victimName)
	if url == "" {
		t.Skip("it runs only as the child of other tests")
	}
	ctx := context.Background()
	db := openURL(t, url)
	w := newWriter(t, db, WriterOptions{Wait: time.Minute})
	go func() {
		for n := 1; ; n++ {
			id := fmt.Sprint(name, n)
			if assert.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: id, Status: "active"})) {
				fmt.Fprintln(os.Stderr, "tenant", id)
			}
		}
	}()
	for n := 1; ; n++ {
		appendTraffic(t, w, name, n)
		if n%50 == 0 {
			require.NoError(t, w.Sync(ctx))
			fmt.Fprintln(os.Stderr, "traffic", n)
		}
	}
}

// appendTraffic appends the nth record of each kind that a node writes.
func appendTraffic(t *testing.T, w *Writer, node string, n int) {
	t.Helper()
	ctx := context.Background()
	id := fmt.Sprint(node, n)
	require.NoError(t, w.AppendAudit(ctx, node, "X", []byte("{}")))
	require.NoError(
		t,
		w.AppendUsage(ctx, &UsageRecord{ExchangeID: id, Tenant: node, KeyID: fmt.Sprint(n % 7), Input: 1, Counted: true, Cost: 10, Priced: true}),
	)
	require.NoError(t, w.AppendToken(ctx, &VaultToken{
		Tenant: "shared", Token: fmt.Sprint(n % 100), Digest: []byte("d"), Sealed: []byte("s"),
		Bindings: fmt.Appendf(nil, "%016d", n), Seen: time.Now(), Expires: time.Now().Add(time.Hour),
	}))
}

// victim runs a process until it has said often enough that something is durable, kills it, and answers all it said.
func victim(t *testing.T, url, name string, lines int) []string {
	t.Helper()
	cmd := exec.Command(os.Args[0], "-test.run=^TestVictim$")
	cmd.Env = append(os.Environ(), victimURL+"="+url, victimName+"="+name)
	out, err := cmd.StderrPipe()
	require.NoError(t, err)
	cmd.Stdout = io.Discard
	require.NoError(t, cmd.Start())
	var said []string
	for scan := bufio.NewScanner(out); scan.Scan(); {
		if said = append(said, scan.Text()); len(said) == lines {
			require.NoError(t, cmd.Process.Kill()) // what it had said before it died is read all the same
		}
	}
	require.Error(t, cmd.Wait())
	require.GreaterOrEqual(t, len(said), lines, strings.Join(said, "\n"))
	return said
}

func TestAKillLosesNothingThatWasAcknowledged(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		db := openURL(t, url)
		acknowledged := map[string]int{}
		for _, name := range []string{"a", "b"} { // the second goes on where the first was killed
			for _, line := range victim(t, url, name, 60) {
				what, id, _ := strings.Cut(line, " ")
				switch what {
				case "tenant":
					_, err := db.Tenants().Get(context.Background(), id)
					assert.NoError(t, err, id)
				case "traffic":
					var n int
					_, err := fmt.Sscan(id, &n)
					require.NoError(t, err)
					acknowledged[name] = n
				default:
					assert.Fail(t, line)
				}
			}
		}
		checkTraffic(t, db, acknowledged)
		assert.Equal(t, version(t, db), int64(1+count(t, db, "tenant")), "a version for each tenant, and none for one that is not there")
	})
}

// checkTraffic expects of each node at least the records that were acknowledged, without a gap and none twice, and one
// chain of audit records.
func checkTraffic(t *testing.T, db *DB, acknowledged map[string]int) {
	t.Helper()
	ctx := context.Background()
	for node, least := range acknowledged {
		require.Positive(t, least, node)
		stored := count(t, db, "usage_exchange WHERE tenant_id = '"+node+"'")
		assert.GreaterOrEqual(t, stored, least, node)
		assert.Equal(t, stored, count(t, db, "(SELECT DISTINCT exchange_id FROM usage_exchange WHERE tenant_id = '"+node+"') AS d"), "twice")
		assert.Equal(t, 1, count(t, db, fmt.Sprintf("usage_exchange WHERE exchange_id = '%s%d'", node, stored)), "a gap")
		totals, err := db.Usage().SumUsage(ctx, UsageFilter{Tenant: node})
		require.NoError(t, err)
		assert.EqualValues(t, 10*stored, totals.Cost)
		counts, err := db.Audit().CountByType(ctx, node)
		require.NoError(t, err)
		assert.GreaterOrEqual(t, counts["X"], int64(least))
	}
	next := int64(1)
	require.NoError(t, db.Audit().Walk(ctx, "n", func(_ *AuditBase, h *AuditHead) error {
		if assert.NotNil(t, h, "the processes were killed before any of their traffic was durable") {
			assert.EqualValues(t, records(t, db), h.Seq)
		}
		return nil
	}, func(s *AuditSegment) error {
		assert.Equal(t, next, s.First, "segments follow each other")
		next = s.Last + 1
		return nil
	}))
}
