package compatibility

import (
	"context"
	"crypto/sha256"
	"encoding/json"
	"fmt"
	"testing"
	"time"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// auditKey is the key of the gateway that wrote the earlier records.
const auditKey = "the audit key of an old gateway!"

// writtenAt lies within the time at which the earlier records were written.
var writtenAt = time.Date(2026, 11, 22, 12, 0, 1, 0, time.UTC)

// earlierRecords reads one record or more of each kind from the earlier database.
var earlierRecords = map[string]func(ctx context.Context, db *store.DB) (any, error){
	"tenant":   func(ctx context.Context, db *store.DB) (any, error) { return db.Tenants().Get(ctx, "acme") },
	"tenant 2": func(ctx context.Context, db *store.DB) (any, error) { return db.Tenants().Get(ctx, "globex") },
	"keys":     func(ctx context.Context, db *store.DB) (any, error) { return db.Keys().ListByTenant(ctx, "acme") },
	"revoked":  func(ctx context.Context, db *store.DB) (any, error) { return db.Keys().ListByTenant(ctx, "globex") },
	"setting":  func(ctx context.Context, db *store.DB) (any, error) { return db.Settings().Get(ctx, "salt") },
	"policy":   func(ctx context.Context, db *store.DB) (any, error) { return db.Policies().Get(ctx, "p1") },
	"shadow": func(ctx context.Context, db *store.DB) (any, error) {
		return db.ShadowEvents().List(ctx, "p1", "", true, 9)
	},
	"owner": func(ctx context.Context, db *store.DB) (any, error) {
		return db.Users().GetByEmail(ctx, "owner@acme.test")
	},
	"viewer":     func(ctx context.Context, db *store.DB) (any, error) { return db.Users().Get(ctx, "u2") },
	"token":      func(ctx context.Context, db *store.DB) (any, error) { return db.PATs().Get(ctx, "pat1") },
	"route":      func(ctx context.Context, db *store.DB) (any, error) { return db.Routes().ListVersions(ctx, "r1") },
	"price":      func(ctx context.Context, db *store.DB) (any, error) { return db.Prices().Get(ctx, "price1") },
	"budget":     func(ctx context.Context, db *store.DB) (any, error) { return db.Budgets().Get(ctx, "b1") },
	"chargeback": func(ctx context.Context, db *store.DB) (any, error) { return db.Chargebacks().Get(ctx, "cb1") },
	"report":     func(ctx context.Context, db *store.DB) (any, error) { return db.ComplianceReports().Get(ctx, "cr1") },
	"licence":    func(ctx context.Context, db *store.DB) (any, error) { return db.Licenses().Get(ctx) },
	"state":      func(ctx context.Context, db *store.DB) (any, error) { return db.Licenses().GetState(ctx) },
	"webhook":    func(ctx context.Context, db *store.DB) (any, error) { return db.Webhooks().Get(ctx, "w1") },
	"guard":      func(ctx context.Context, db *store.DB) (any, error) { return db.GuardrailPlugins().Get(ctx, "g1") },
	"schema":     func(ctx context.Context, db *store.DB) (any, error) { return db.OutputSchemas().Get(ctx, "s1") },
	"layout":     func(ctx context.Context, db *store.DB) (any, error) { return db.ChainLayouts().Get(ctx) },
	"approval":   func(ctx context.Context, db *store.DB) (any, error) { return db.Approvals().Get(ctx, "a1") },
	"batch file": func(ctx context.Context, db *store.DB) (any, error) { return db.BatchFiles().Get(ctx, "acme", "f1") },
	"batch":      func(ctx context.Context, db *store.DB) (any, error) { return db.BatchJobs().Get(ctx, "acme", "j1") },
	"vault key":  func(ctx context.Context, db *store.DB) (any, error) { return db.Vault().GetKey(ctx, "acme") },
	"vault": func(ctx context.Context, db *store.DB) (any, error) {
		return db.Vault().GetToken(ctx, "acme", "tok1", writtenAt)
	},
	"usage": func(ctx context.Context, db *store.DB) (any, error) {
		return db.Usage().SumUsage(ctx, store.UsageFilter{Tenant: "acme"})
	},
	"exchanges": func(ctx context.Context, db *store.DB) (any, error) {
		list, _, err := db.Usage().ListExchanges(ctx, store.ExchangeFilter{}, nil, 100)
		return list, err
	},
	"session": func(ctx context.Context, db *store.DB) (any, error) {
		s, _, err := db.Sessions().Get(ctx, sha256.Sum256([]byte("session")))
		return s, err
	},
	"cursor": func(ctx context.Context, db *store.DB) (any, error) {
		usage, _, err := db.Fleet().GetCursors(ctx, "node-b")
		return usage, err
	},
	"deliveries": func(ctx context.Context, db *store.DB) (any, error) {
		pending, dead, err := db.Outbox().CountBacklog(ctx)
		return []int64{pending, dead}, err
	},
}

func TestRecordsOfAnEarlierVersionAreRead(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		e.load(t)
		db := e.migrate(t)
		var exist []string
		for kind, read := range earlierRecords {
			record, err := read(t.Context(), db)
			require.NoError(t, err, kind)
			text, err := json.Marshal(record)
			require.NoError(t, err, kind)
			var fields any
			require.NoError(t, json.Unmarshal(text, &fields), kind)
			exist = append(exist, listFields(kind, fields)...)
		}
		requireKept(t, "Database (SQLite and PostgreSQL)", "database-00080/records-"+e.name+".txt", exist)
	})
}

// listFields writes each value with the path to it.
func listFields(path string, value any) (lines []string) {
	switch value := value.(type) {
	case map[string]any:
		for name, v := range value {
			lines = append(lines, listFields(path+"."+name, v)...)
		}
	case []any:
		if len(value) == sha256.Size {
			return []string{fmt.Sprint(path, " = ", value)} // a hash
		}
		for i, v := range value {
			lines = append(lines, listFields(fmt.Sprintf("%s[%d]", path, i), v)...)
		}
	default:
		lines = []string{fmt.Sprintf("%s = %#v", path, value)}
	}
	return lines
}

func TestAMigratedDatabaseIsWritten(t *testing.T) {
	onEachEngine(t, func(t *testing.T, e engine) {
		e.load(t)
		ctx, db := t.Context(), e.migrate(t)
		changed, err := db.Keys().Change(ctx, "k1", func(k *store.Key) error { k.Name = "renamed"; return nil })
		require.NoError(t, err)
		assert.Equal(t, "renamed", changed.Name)
		require.NoError(t, db.Keys().Insert(ctx, store.Key{ID: "k9", TenantID: "acme", Hash: sha256.Sum256([]byte("k9")), Status: store.KeyActive}))
		_, err = db.Webhooks().Change(ctx, "w1", func(w *store.Webhook) error { w.Enabled = false; return nil })
		require.NoError(t, err)
		before, err := db.Usage().SumUsage(ctx, store.UsageFilter{Tenant: "acme"})
		require.NoError(t, err)

		w := store.NewWriter(db, store.WriterOptions{})
		log, start, err := audit.Open(ctx, db, w, []byte(auditKey), audit.WithNode("gw-1"))
		require.NoError(t, err)
		assert.True(t, start.Clean)
		assert.Equal(t, int64(28), start.Last)
		u := store.UsageRecord{ExchangeID: "of today", Tenant: "acme", KeyID: "k9", Outcome: "served", Status: 200}
		require.NoError(t, log.AppendWith(ctx, &u, audit.Event{Tenant: "acme", Type: audit.GatewayRequest, Payload: []byte(`{"request_id":"of today"}`)}))
		require.NoError(t, log.Close(ctx))
		require.NoError(t, w.Close(ctx))

		after, err := db.Usage().SumUsage(ctx, store.UsageFilter{Tenant: "acme"})
		require.NoError(t, err)
		assert.Equal(t, before.Records+1, after.Records)
		proof, err := audit.Verify(ctx, db, []byte(auditKey))
		require.NoError(t, err)
		assert.True(t, proof.Valid(), "the chain of the earlier version continues")
		assert.Greater(t, proof.Records(), start.Last+2)
	})
}
