package storetest

import (
	"context"
	"crypto/sha256"
	"fmt"
	"math/rand/v2"
	"os"
	"strconv"
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

// Seed fills a new database. The same size gives the same records.
func Seed(t testing.TB, db *store.DB, size Size) {
	t.Helper()
	ctx := context.Background()
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
	w := store.NewWriter(db, store.WriterOptions{Wait: time.Minute})
	random := rand.New(rand.NewPCG(1, 2))
	end := size.End
	if end.IsZero() {
		end = SeedEnd
	}
	step := SeedDays * 24 * time.Hour / time.Duration(max(size.Costs, 1))
	for n := range size.Costs {
		m := seedModels[random.IntN(len(seedModels))]
		key := random.IntN(min(size.Keys, 20*size.Tenants)) // most keys rest
		r := store.UsageRecord{
			ExchangeID: fmt.Sprintf("%032x", n), Tenant: FormatTenantID(key % size.Tenants), KeyID: fmt.Sprintf("key-%08d", key),
			Dialect: "openai", ModelRequested: m.model, Provider: m.provider, Model: m.model, Outcome: "done", Status: 200,
			Input: int64(random.IntN(4000)), Output: int64(random.IntN(1000)), Counted: true, Priced: true,
			Latency: time.Duration(random.IntN(5000)) * time.Millisecond, At: end.Add(-step * time.Duration(size.Costs-1-n)),
		}
		r.Cost = (r.Input*m.input + r.Output*m.output) / 1_000_000
		require.NoError(t, w.AppendUsage(ctx, &r))
	}
	require.NoError(t, w.Close(ctx))
}
