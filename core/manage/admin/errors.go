package admin

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Error codes of the administrative API, in addition to those of core.
const (
	CodeManagedByFile = "MANAGED_BY_FILE"
	CodeTenantScope   = "TENANT_SCOPE_VIOLATION"
	CodeTenantLimit   = "TENANT_LIMIT_REACHED"
	CodeConflict      = "conflict"
	CodePrecondition  = "precondition_failed"
)

// NewMissingRoleError returns the error for an actor without a role that grants the permission.
func NewMissingRoleError(p auth.Permission) error {
	names := ""
	for _, r := range auth.ListRoles() {
		if r.Grants(p) {
			names += ", " + string(r)
		}
	}
	return &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: "this needs one of the roles " + names[len(", "):]}
}

// newMissingFieldError returns the error for a required field that the request omits.
func newMissingFieldError(field string) error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeMissingField, Param: field, Public: field + " is missing"}
}

// newInvalidValueError returns the error for a value. The text says what to write instead and must not repeat the value, which may
// be secret.
func newInvalidValueError(field, format string, args ...any) error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: field, Public: fmt.Sprintf(field+": "+format, args...)}
}

// newConflictError returns the error for a change that the state of the record does not allow.
func newConflictError(code, text string) error {
	return &core.Error{Kind: core.InvalidRequest, Status: http.StatusConflict, Code: code, Public: text}
}

// newNotFoundError returns the error for an unknown id.
func newNotFoundError(what string) error {
	return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "unknown " + what}
}

// mapNotFound turns the store's "not found" into the answer 404 and returns other errors unchanged.
func mapNotFound(err error, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return newNotFoundError(what)
	}
	return err
}

// checkSource refuses changes of records that the configuration file manages.
func checkSource(source string) error {
	if source == store.SourceAPI || source == store.SourceCLI {
		return nil
	}
	return newConflictError(CodeManagedByFile, "the configuration file manages this record; change it there")
}

// newAuditUnavailableError returns the error for an operation whose audit event could not be written.
func newAuditUnavailableError(err error) error {
	return &core.Error{
		Kind:   core.Unavailable,
		Code:   core.CodeOverloaded,
		Public: "the audit log is temporarily unavailable; try again",
		Err:    err,
	}
}
