package node

import (
	"context"
	"errors"
	"testing"

	"github.com/stretchr/testify/assert"
	"github.com/stretchr/testify/require"

	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/store"
)

// A version that was applied is not read again, so policies that failed to load with it must be remembered.
func TestPoliciesThatCouldNotBeTakenUpAreTriedAgain(t *testing.T) {
	ctx := context.Background()
	db, err := store.Open(ctx, "sqlite::memory:")
	require.NoError(t, err)
	t.Cleanup(func() { require.NoError(t, db.Close(ctx)) })
	s := newPolicySource(db, nil)
	v := s.buildView(nil, nil)
	s.adopt(v)
	var broken error
	inForce := 0
	_, err = v.Watch(func(list []policydoc.Record) error {
		if broken == nil {
			inForce = len(list)
		}
		return broken
	})
	require.NoError(t, err)
	_, err = db.Policies().Insert(
		ctx,
		policydoc.Record{ID: "p", Name: "p", DSL: "rules: []", Status: policydoc.Active, Source: store.SourceAPI},
	)
	require.NoError(t, err)

	require.NoError(t, s.retry(ctx))
	assert.Zero(t, inForce, "nothing has failed")
	broken = errors.New("for a moment")
	require.ErrorIs(t, s.refresh(ctx), broken)
	require.ErrorIs(t, s.retry(ctx), broken)
	broken = nil
	require.NoError(t, s.retry(ctx))
	assert.Equal(t, 1, inForce)
}
