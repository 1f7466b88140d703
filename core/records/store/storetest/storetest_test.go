package storetest

import (
	"context"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/store"
)

func TestEachTestHasADatabaseOfItsOwn(t *testing.T) {
	ctx := context.Background()
	for range 2 {
		RunOnBothDatabases(t, func(t *testing.T, db *store.DB) {
			v, err := db.Config().ReadVersion(ctx)
			require.NoError(t, err)
			assert.EqualValues(t, 1, v)
			require.NoError(t, db.Config().Advance(ctx, "plugin", "a.wasm"))
			v, err = db.Config().ReadVersion(ctx)
			require.NoError(t, err)
			assert.EqualValues(t, 2, v)
		})
	}
}
