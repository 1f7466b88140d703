package store

import (
	"context"
	"fmt"
	"os"
	"os/exec"
	ossignal "os/signal"
	"path/filepath"
	"strings"
	"syscall"
	"testing"
	"time"

	"github.com/jmoiron/sqlx"
	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"
)

// fill makes tenants until one fails, and answers how many there are and the failure.
func fill(db *DB) (n int, err error) {
	for n = 0; n < 100_000; n++ {
		t := Tenant{ID: fmt.Sprint("t", n), Status: "active", Metadata: map[string]any{"text": strings.Repeat("x", 2000)}}
		if err = db.Tenants().Insert(context.Background(), t); err != nil {
			return n, err
		}
	}
	return n, nil
}

// checkFull expects of a database that fill has filled that it says so, and that nothing is lost.
func checkFull(t *testing.T, db *DB, n int, err error) {
	t.Helper()
	require.ErrorIs(t, err, ErrFull)
	require.Positive(t, n)
	assert.Equal(t, n, count(t, db, "tenant"), "what was acknowledged is there, what failed is not")
	assert.EqualValues(t, n+1, version(t, db))
	_, err = db.Tenants().Get(context.Background(), fmt.Sprint("t", n-1))
	require.NoError(t, err, "reads go on")
}

func TestAFullDatabaseSaysSoAndGoesOnWhenThereIsRoom(t *testing.T) {
	ctx := context.Background()
	db := openFile(t)
	var pages int
	require.NoError(t, db.write.Get(&pages, "PRAGMA page_count"))
	_, err := db.write.Exec(fmt.Sprint("PRAGMA max_page_count = ", pages+10))
	require.NoError(t, err)
	n, err := fill(db)
	checkFull(t, db, n, err)
	_, err = db.write.Exec("PRAGMA max_page_count = 1000000")
	require.NoError(t, err)
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "again", Status: "active"}))
}

// limitedPath names the variable that turns this test binary into a process whose files cannot grow.
const limitedPath = "HEADGATE_TEST_LIMITED"

func TestAFileThatMayNotGrowIsAFullDatabase(t *testing.T) {
	path := os.Getenv(limitedPath)
	if path == "" { // the limit applies to a process, so start another one
		cmd := exec.Command(os.Args[0], "-test.run=^"+t.Name()+"$")
		cmd.Env = append(os.Environ(), limitedPath+"="+filepath.Join(t.TempDir(), "x.db"))
		out, err := cmd.CombinedOutput()
		require.NoError(t, err, string(out))
		require.NotContains(t, string(out), "no tests to run")
		return
	}
	ctx := context.Background()
	ossignal.Ignore(syscall.SIGXFSZ) // as the gateway does
	db := openPath(t, path)
	w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, MaxRecords: 100, Wait: 10 * time.Millisecond})
	limit := func(bytes uint64) {
		var l syscall.Rlimit
		require.NoError(t, syscall.Getrlimit(syscall.RLIMIT_FSIZE, &l))
		l.Cur = min(bytes, l.Max)
		require.NoError(t, syscall.Setrlimit(syscall.RLIMIT_FSIZE, &l))
	}
	log, err := os.Stat(path + "-wal")
	require.NoError(t, err)
	limit(uint64(log.Size()) + 1<<20)
	n, err := fill(db)
	checkFull(t, db, n, err)
	taken := 0
	for ; taken < 100_000; taken++ {
		if err = w.AppendAudit(ctx, "t", "X", []byte(`"`+strings.Repeat("x", 500)+`"`)); err != nil {
			break
		}
	}
	require.ErrorIs(t, err, ErrBusy, "traffic that cannot be recorded is refused")
	limit(1 << 40)
	require.NoError(t, w.Sync(ctx))
	assert.Equal(t, taken, records(t, db))
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "again", Status: "active"}))
	var sound string
	require.NoError(t, db.read.Get(&sound, "PRAGMA integrity_check"))
	assert.Equal(t, "ok", sound)
}

func TestADatabaseThatAnotherProcessHoldsSaysSo(t *testing.T) {
	ctx := context.Background()
	db := openFile(t)
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "t", Status: "active"}))
	_, err := db.write.Exec("PRAGMA busy_timeout = 50")
	require.NoError(t, err)
	failed := make(chan error, 100)
	w := newWriter(t, db, WriterOptions{Interval: time.Millisecond, OnError: func(err error, _ int) {
		select {
		case failed <- err:
		default:
		}
	}})
	other, err := sqlx.Open("sqlite3", "file:"+db.Path()+"?_txlock=immediate")
	require.NoError(t, err)
	defer func() { assert.NoError(t, other.Close()) }()
	tx, err := other.Begin()
	require.NoError(t, err)

	require.ErrorIs(t, db.Tenants().Insert(ctx, Tenant{ID: "u", Status: "active"}), ErrUnavailable)
	_, err = db.Tenants().Get(ctx, "t")
	require.NoError(t, err, "reads go on")
	require.NoError(t, w.AppendAudit(ctx, "t", "X", []byte("{}")))
	require.ErrorIs(t, <-failed, ErrUnavailable)
	require.NoError(t, tx.Rollback())
	require.NoError(t, w.Sync(ctx))
	assert.Equal(t, 1, records(t, db))
	require.NoError(t, db.Tenants().Insert(ctx, Tenant{ID: "u", Status: "active"}))
}

func TestTextsThatCannotBeStored(t *testing.T) {
	runOnBoth(t, func(t *testing.T, url string) {
		ctx := context.Background()
		db := openURL(t, url)
		for i, name := range []string{"a\x00b", "a\xffb"} {
			err := db.Tenants().Insert(ctx, Tenant{ID: fmt.Sprint(i), Name: name, Status: "active"})
			if db.postgres || err != nil {
				require.ErrorIs(t, err, ErrBadText)
			}
			w := newWriter(t, db, WriterOptions{})
			use := UsageRecord{ExchangeID: name, Tenant: name, KeyID: "k", EndUser: name, ModelRequested: name}
			require.NoError(t, w.AppendUsage(ctx, &use))
			require.NoError(t, w.AppendAudit(ctx, name, "X", []byte("{}")))
			require.NoError(t, w.Sync(ctx), "a client's text does not hold up the batch")
		}
		totals, err := db.Usage().SumUsage(ctx, UsageFilter{KeyID: "k"})
		require.NoError(t, err)
		assert.EqualValues(t, 2, totals.Records)
	})
}
