package rest_test

import (
	"context"
	"encoding/json"
	"slices"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/store"
)

// checkEventFields checks that docs/audit.md lists every field of every audit event that a test has caused.
func checkEventFields(t testing.TB, db *store.DB) {
	types := audit.ListTypes()
	err := db.Audit().Visit(context.Background(), store.AuditFilter{}, func(r *store.AuditRecord) error {
		at := slices.IndexFunc(types, func(k audit.Type) bool { return k.Name == r.Type })
		if !assert.GreaterOrEqual(t, at, 0, "%s is not listed", r.Type) {
			return nil
		}
		var fields map[string]any
		if err := json.Unmarshal([]byte(r.Payload), &fields); err != nil {
			return err
		}
		for name := range fields {
			listed := slices.ContainsFunc(types[at].Fields, func(f audit.Field) bool { return f.Name == name })
			assert.True(t, listed, "%s.%s is not listed", r.Type, name)
		}
		return nil
	})
	require.NoError(t, err)
}

func TestTheEventOfANewTokenSaysWhenItExpires(t *testing.T) {
	onEach(t, func(t *testing.T, a *api) {
		ada := a.user("ada", "owner", "")
		a.sendAs(ada, "POST", "/admin/v1/pats", `{"name":"x","expires_at":"2026-11-22T13:00:00Z"}`).is(201)
		events := a.do("GET", "/admin/v1/audit/events?event_type=PAT_CREATED", nil).is(200)
		assert.Equal(t, "2026-11-22T13:00:00Z", events.str(0, "payload", "expires_at"))
	})
}
