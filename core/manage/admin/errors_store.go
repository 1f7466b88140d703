package admin

import (
	"errors"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// MapStoreError turns errors of the database itself into answers and returns other errors unchanged.
func MapStoreError(err error) error {
	var own *core.Error
	switch {
	case errors.As(err, &own):
	case errors.Is(err, store.ErrFull):
		return &core.Error{
			Kind:   core.Unavailable,
			Code:   core.CodeOverloaded,
			Public: "the database has no room left and nothing was changed; free space and try again",
			Err:    err,
		}
	case errors.Is(err, store.ErrUnavailable):
		return &core.Error{
			Kind:   core.Unavailable,
			Code:   core.CodeOverloaded,
			Public: "the database is temporarily unavailable; try again, with the same Idempotency-Key if you sent one",
			Err:    err,
		}
	case errors.Is(err, store.ErrExists):
		return &core.Error{
			Kind:   core.InvalidRequest,
			Status: http.StatusConflict,
			Code:   CodeConflict,
			Public: "a record with this id or name already exists; choose another",
			Err:    err,
		}
	case errors.Is(err, store.ErrBadText):
		return &core.Error{
			Kind:   core.InvalidRequest,
			Code:   core.CodeInvalidValue,
			Public: "a text contains a NUL character or invalid UTF-8; remove it",
			Err:    err,
		}
	}
	return err
}
