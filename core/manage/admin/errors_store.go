package admin

import (
	"errors"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// MapStoreError puts refusals in place of the errors that the database itself gives, whatever the operation. All others it
// answers as they are.
func MapStoreError(err error) error {
	var own *core.Error
	switch {
	case errors.As(err, &own):
	case errors.Is(err, store.ErrFull):
		return &core.Error{Kind: core.Unavailable, Code: core.CodeOverloaded, Public: "the database has no room left; nothing was changed. Make room and try again", Err: err}
	case errors.Is(err, store.ErrUnavailable):
		return &core.Error{Kind: core.Unavailable, Code: core.CodeOverloaded, Public: "the database cannot be reached at the moment; try again, with the same Idempotency-Key if you sent one", Err: err}
	case errors.Is(err, store.ErrExists):
		return &core.Error{Kind: core.InvalidRequest, Status: http.StatusConflict, Code: CodeConflict, Public: "there is a record with this id or name already; choose another", Err: err}
	case errors.Is(err, store.ErrBadText):
		return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "a text holds the character 0 or is not UTF-8; send it without", Err: err}
	}
	return err
}
