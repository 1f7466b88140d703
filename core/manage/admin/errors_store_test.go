package admin_test

import (
	"errors"
	"fmt"
	"testing"

	"github.com/stretchr/testify/assert"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/store"
)

func TestErrorsOfTheDatabaseItselfAreRefusalsWithAStatus(t *testing.T) {
	for err, status := range map[error]int{
		store.ErrFull: 503, store.ErrUnavailable: 503, store.ErrBadText: 400, store.ErrExists: 409, errors.New("any other"): 500,
	} {
		wrapped := fmt.Errorf("insert tenant: %w: near 'secret'", err)
		refusal := core.ConvertError(admin.MapStoreError(wrapped))
		assert.Equal(t, status, refusal.HTTPStatus(), err.Error())
		assert.NotContains(t, refusal.Public, "secret")
		assert.ErrorIs(t, refusal, err, "the cause is logged")
	}
	own := &core.Error{Kind: core.NotFound, Err: store.ErrFull}
	assert.Equal(t, 404, core.ConvertError(admin.MapStoreError(own)).HTTPStatus(), "a refusal is returned unchanged")
}
