package storetest

import (
	"context"
	"crypto/sha256"
	"database/sql"
	"fmt"
	"os"
	"strconv"
	"strings"
	"testing"
	"time"

	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

// Variables that set the sizes of Sizes.
const (
	KeysVar  = "HEADGATE_BENCH_KEYS"
	CostsVar = "HEADGATE_BENCH_COSTS"
)

// Size says how much Seed makes.
type Size struct {
	Tenants, Keys, Costs int
	End                  time.Time // of the last cost record; zero: SeedEnd
}

// ReadSizes returns those of make bench-admin: 100,000 keys of 100 tenants and 100,000 cost records, unless variables say
// otherwise.
func ReadSizes(t testing.TB) Size {
	t.Helper()
	number := func(name string) int {
		text := os.Getenv(name)
		if text == "" {
			return 100_000
		}
		n, err := strconv.Atoi(text)
		require.NoError(t, err, name)
		return n
	}
	return Size{Tenants: 100, Keys: number(KeysVar), Costs: number(CostsVar)}
}

// SeedEnd is the time of the last cost record that Seed makes; they reach SeedDays back.
var SeedEnd = time.Date(2026, 11, 22, 0, 0, 0, 0, time.UTC)

// SeedDays is the span of cost records in days.
const SeedDays = 90

// FormatTenantID returns the id of the nth tenant.
func FormatTenantID(n int) string { return fmt.Sprintf("tenant-%04d", n) }

// BuildKey returns the nth key; it belongs to tenant n modulo their number.
func BuildKey(n, tenants int) store.Key {
	plain := fmt.Sprintf("gw_seed%012d", n)
	return store.Key{
		ID: fmt.Sprintf("key-%08d", n), TenantID: FormatTenantID(n % tenants), Name: fmt.Sprint("key ", n), Prefix: plain[:8],
		Hash: sha256.Sum256([]byte(plain)), Scopes: []string{"completions:write"}, Status: store.KeyActive, Source: store.SourceAPI,
	}
}

// seedModels are what exchanges call, with prices of a million tokens in units of 1e-10 USD.
var seedModels = []struct {
	provider, model string
	input, output   int64
}{
	{"openai", "gpt-4o", 25_000_000_000, 100_000_000_000},
	{"openai", "gpt-4o-mini", 1_500_000_000, 6_000_000_000},
	{"azure-openai", "gpt-4o", 25_000_000_000, 100_000_000_000},
	{"bedrock", "anthropic.claude-3-5-haiku-20241022-v1:0", 8_000_000_000, 40_000_000_000},
	{"mock", "mock-echo", 0, 0},
}

// Seed fills a new database, given by its URL, that nobody has open. The same size gives the same records. Usage records come from one
// statement, and their sums from the records: through a Writer, ten million took nine minutes on two cores.
func Seed(t testing.TB, url string, size Size) {
	t.Helper()
	ctx := context.Background()
	db, err := store.Open(ctx, url)
	require.NoError(t, err)
	for n := range size.Tenants {
		require.NoError(
			t,
			db.Tenants().Insert(ctx, store.Tenant{ID: FormatTenantID(n), Name: fmt.Sprint("Tenant ", n), Status: "active", Source: store.SourceAPI}),
		)
	}
	require.NoError(t, db.Keys().InsertAll(ctx, func(yield func(store.Key) bool) {
		for n := range size.Keys {
			if !yield(BuildKey(n, size.Tenants)) {
				return
			}
		}
	}))
	require.NoError(t, db.Close(ctx))
	insertUsage(t, url, size)
	db, err = store.Open(ctx, url)
	require.NoError(t, err)
	n, err := db.Usage().RebuildSums(ctx)
	require.NoError(t, err)
	require.EqualValues(t, size.Costs, n)
	require.NoError(t, db.Close(ctx))
}

// insertUsage inserts the series and the usage records.
func insertUsage(t testing.TB, url string, size Size) {
	t.Helper()
	driver, dsn, exchange := "pgx", url, "lpad(to_hex(i), 32, '0')"
	if path, ok := strings.CutPrefix(url, "sqlite:"); ok {
		driver, dsn, exchange = "sqlite3", "file:"+path+"?_synchronous=OFF", "unhex(printf('%032x', i))"
	}
	db, err := sql.Open(driver, dsn)
	require.NoError(t, err)
	tx, err := db.Begin()
	require.NoError(t, err)
	keys := min(size.Keys, 20*size.Tenants) // most keys rest
	for n := range keys * len(seedModels) {
		m, key := seedModels[n%len(seedModels)], n/len(seedModels)
		_, err := tx.Exec(`INSERT INTO usage_series (id, tenant_id, key_id, dialect, model_requested, provider, model, outcome, status, streamed)
			VALUES ($1, $2, $3, 'openai', $4, $5, $4, 'served', 200, 0)`,
			n+1, FormatTenantID(key%size.Tenants), BuildKey(key, size.Tenants).ID, m.model, m.provider)
		require.NoError(t, err)
	}
	prices := func(of func(m int) int64) string {
		text := "CASE series % " + strconv.Itoa(len(seedModels))
		for i := range seedModels {
			text += fmt.Sprintf(" WHEN %d THEN %d", (i+1)%len(seedModels), of(i))
		}
		return text + " END"
	}
	end := size.End
	if end.IsZero() {
		end = SeedEnd
	}
	step := SeedDays * 24 * time.Hour / time.Duration(max(size.Costs, 1))
	_, err = tx.Exec(fmt.Sprintf(`INSERT INTO usage_record (at, exchange_id, series_id, latency_ms, input_tokens, output_tokens, cost, input_cost)
		WITH RECURSIVE n(i) AS (SELECT CAST(0 AS BIGINT) UNION ALL SELECT i + 1 FROM n WHERE i + 1 < %d),
		r AS (SELECT i, 1 + i * 2654435761 %% 4294967291 %% %d AS series,
			i * 40503 %% 65521 %% 4000 AS input, i * 30011 %% 65521 %% 1000 AS output FROM n)
		SELECT %d + i * %d, %s, series, i * 7919 %% 5003, input, output, (input * %[6]s + output * %[7]s) / 1000000, input * %[6]s / 1000000 FROM r`,
		size.Costs, keys*len(seedModels), end.Add(-step*time.Duration(size.Costs-1)).UnixMicro(), step.Microseconds(), exchange,
		prices(func(m int) int64 { return seedModels[m].input }), prices(func(m int) int64 { return seedModels[m].output })))
	require.NoError(t, err)
	require.NoError(t, tx.Commit())
	require.NoError(t, db.Close())
}
