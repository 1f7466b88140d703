package rest

import (
	"encoding/json"
	"net/http"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// Problem is the body of error answers.
type Problem struct {
	Fault Fault `json:"error"`

	status int
	cause  error
}

// Fault describes an error.
type Fault struct {
	Type    string `json:"type" doc:"The class of the error." example:"invalid_request_error"`
	Code    string `json:"code" doc:"A stable code for programs." example:"invalid_value"`
	Message string `json:"message" doc:"For people: what is wrong and what to send instead." example:"name is missing"`
	Param   string `json:"param,omitempty" doc:"The invalid field." example:"name"`
}

// Error returns the message.
func (p *Problem) Error() string { return p.Fault.Message }

// GetStatus returns the HTTP status.
func (p *Problem) GetStatus() int { return p.status }

// Unwrap returns the cause, for the log.
func (p *Problem) Unwrap() error { return p.cause }

// convertProblem returns the answer for an error of an operation.
func convertProblem(err error) *Problem {
	e := core.ConvertError(admin.MapStoreError(err))
	return &Problem{
		Fault: Fault{Type: nameErrorType(e), Code: e.Code, Message: e.Public, Param: e.Param}, status: e.HTTPStatus(), cause: err,
	}
}

// WriteError answers a request for which there is no operation.
func WriteError(w http.ResponseWriter, err error) {
	p := convertProblem(err)
	w.Header().Set("Content-Type", "application/json")
	w.WriteHeader(p.status)
	_ = json.NewEncoder(w).Encode(p) // a disconnected client gets no answer
}

// nameErrorType returns the type of an error: that of its kind, unless its code has its own type.
func nameErrorType(e *core.Error) string {
	if e.Code == "TENANT_LIMIT_REACHED" {
		return "license_error"
	}
	return e.Type()
}

// The library creates its errors through these two variables, which are global to the process.
func init() {
	huma.NewError = func(status int, msg string, errs ...error) huma.StatusError {
		return convertLibraryProblem(status, msg, errs)
	}
	huma.NewErrorWithContext = func(_ huma.Context, status int, msg string, errs ...error) huma.StatusError {
		return convertLibraryProblem(status, msg, errs)
	}
}

// convertLibraryProblem returns the answer for a request that the library refuses.
func convertLibraryProblem(status int, msg string, errs []error) *Problem {
	p := &Problem{status: status}
	switch status {
	case http.StatusUnprocessableEntity, http.StatusBadRequest:
		p.status = http.StatusBadRequest
		p.Fault = Fault{Type: "invalid_request_error", Code: core.CodeInvalidValue, Message: msg}
		for _, err := range errs {
			if d, ok := err.(huma.ErrorDetailer); ok {
				p.Fault = describeFault(d.ErrorDetail())
				break
			}
		}
	case http.StatusRequestEntityTooLarge:
		p.Fault = Fault{Type: "invalid_request_error", Code: core.CodeTooLarge, Message: "the body is too large"}
	case http.StatusRequestTimeout:
		p.Fault = Fault{Type: "invalid_request_error", Code: core.CodeRequestTimeout, Message: "the body did not arrive in time"}
	case http.StatusUnsupportedMediaType:
		p.Fault = Fault{Type: "invalid_request_error", Code: "unsupported_media_type", Message: "send the body as application/json"}
	case http.StatusNotAcceptable:
		p.Fault = Fault{Type: "invalid_request_error", Code: "not_acceptable", Message: "answers are application/json"}
	case http.StatusPreconditionFailed, http.StatusNotFound:
		p.Fault = Fault{Type: "invalid_request_error", Code: strings.ReplaceAll(strings.ToLower(http.StatusText(status)), " ", "_"), Message: msg}
	default:
		e := core.ConvertError(nil)
		p.status, p.Fault = http.StatusInternalServerError, Fault{Type: e.Type(), Code: e.Code, Message: e.Public}
		for _, err := range errs {
			if err != nil {
				p.cause = err
			}
		}
	}
	return p
}

// describeFault describes the first error in a request. It omits the value, which may be secret.
func describeFault(d *huma.ErrorDetail) Fault {
	where, field, _ := strings.Cut(d.Location, ".")
	f := Fault{Type: "invalid_request_error", Code: core.CodeInvalidValue, Param: field}
	if field == "" {
		field = where
	}
	if f.Param == "" && where != "body" {
		f.Param = where
	}
	if name, ok := cutQuoted(d.Message, "expected required property "); ok {
		f.Code, f.Param = core.CodeMissingField, joinPath(f.Param, name)
		f.Message = f.Param + " is missing"
		return f
	}
	if strings.HasPrefix(d.Message, "required ") || d.Message == "File required" {
		f.Code = core.CodeMissingField
		f.Message = field + " is missing"
		return f
	}
	switch d.Message {
	case "unexpected property":
		f.Message = field + ": unknown field"
	case "unknown query parameter":
		f.Message = field + ": unknown query parameter"
	default:
		f.Message = field + ": " + rewordRefusal(d)
	}
	return f
}

func joinPath(path, name string) string {
	if path == "" {
		return name
	}
	return path + "." + name
}

// cutQuoted returns the name after a prefix.
func cutQuoted(text, before string) (string, bool) {
	rest, ok := strings.CutPrefix(text, before)
	if !ok {
		return "", false
	}
	name, _, _ := strings.Cut(rest, " ")
	if plain, err := strconv.Unquote(name); err == nil {
		name = plain
	}
	return name, true
}
