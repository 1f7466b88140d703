package admin

import (
	"errors"
	"fmt"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Codes of the administrative API, beside those of core.
const (
	CodeManagedByFile = "MANAGED_BY_FILE"
	CodeTenantScope   = "TENANT_SCOPE_VIOLATION"
	CodeTenantLimit   = "TENANT_LIMIT_REACHED"
	CodeConflict      = "conflict"
	CodePrecondition  = "precondition_failed"
)

// MissingRole is the refusal of an operation that no role of the actor grants.
func MissingRole(p auth.Permission) error {
	names := ""
	for _, r := range auth.Roles() {
		if r.Grants(p) {
			names += ", " + string(r)
		}
	}
	return &core.Error{Kind: core.Forbidden, Code: core.CodeForbidden, Public: "this needs one of the roles " + names[len(", "):]}
}

// missingField is the refusal of a field that a request needs.
func missingField(field string) error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeMissingField, Param: field, Public: field + " is missing"}
}

// invalidValue is the refusal of a value. The text says what to write instead, and never repeats the value.
func invalidValue(field, format string, args ...any) error {
	return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Param: field, Public: fmt.Sprintf(field+": "+format, args...)}
}

// conflict is the refusal of a change that the state of the record does not allow.
func conflict(code, text string) error {
	return &core.Error{Kind: core.InvalidRequest, Status: http.StatusConflict, Code: code, Public: text}
}

// notFound is the refusal of an id that no record has.
func notFound(what string) error {
	return &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "there is no such " + what}
}

// mapNotFound puts the refusal of an unknown id in place of the store's error.
func mapNotFound(err error, what string) error {
	if errors.Is(err, store.ErrNotFound) {
		return notFound(what)
	}
	return err
}

// checkSource refuses to change a record that the configuration file holds.
func checkSource(source string) error {
	if source == store.SourceAPI || source == store.SourceCLI {
		return nil
	}
	return conflict(CodeManagedByFile, "the record is kept in the configuration file; change it there")
}

// auditUnavailable is the refusal of what could not be told to the audit chain.
func auditUnavailable(err error) error {
	return &core.Error{Kind: core.Unavailable, Code: core.CodeOverloaded, Public: "the audit chain takes no events at the moment; try again", Err: err}
}
