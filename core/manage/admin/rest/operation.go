package rest

import (
	"context"
	"net/http"
	"slices"
	"strconv"
	"strings"

	"github.com/danielgtaylor/huma/v2"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// Operation describes an endpoint.
type Operation struct {
	ID, Method, Path string
	Summary, Tag     string
	Permission       auth.Permission // "" accepts any valid credential
	Status           int             // on success; 0 means 200
	Errors           []int           // in addition to 400, 401, 403, and 404 if the path names a record
	MaxBody          int64           // bytes; 0 means 1 MiB
	Content          string          // the media type of the answer; "" means JSON
	Unkept           bool            // the answer must not be stored: Idempotency-Key has no effect
	Example          any             // of the body, or of the answer to a request without one; nil composes one of the examples of the fields
}

// noReadTimeout leaves slow bodies to the listener. The library would set its deadline on the connection, where it outlasts
// the body and ends requests whose answers take longer.
const noReadTimeout = -1

// registerOperation adds an operation. The types of its input and output describe it in the document.
func registerOperation[I, O any](a *API, o Operation, do func(ctx context.Context, who *auth.Actor, in *I) (*O, error)) {
	op := a.declare(o)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, findActor(ctx), in)
		if err != nil {
			return nil, a.reportError(ctx, err)
		}
		return out, nil
	})
	a.removeUnusedResponses(o)
}

// reportError returns the answer for an error and logs internal errors.
func (a *API) reportError(ctx context.Context, err error) error {
	p := convertProblem(err)
	if p.status >= http.StatusInternalServerError && ctx.Err() == nil {
		a.Failed(ctx, err)
	}
	return p
}

// declare lists an operation and describes it to the library.
func (a *API) declare(o Operation) huma.Operation {
	if o.Status == 0 {
		o.Status = http.StatusOK
	}
	a.Operations = append(a.Operations, o)
	errs := append([]int{http.StatusBadRequest, http.StatusUnauthorized, http.StatusForbidden}, o.Errors...)
	if strings.Contains(o.Path, "{") {
		errs = append(errs, http.StatusNotFound)
	}
	if o.Method == http.MethodPost && !slices.Contains(errs, http.StatusConflict) {
		errs = append(errs, http.StatusConflict) // for an Idempotency-Key
	}
	op := huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: Prefix + o.Path, Summary: o.Summary, Tags: []string{o.Tag},
		DefaultStatus: o.Status, Errors: errs, MaxBodyBytes: o.MaxBody, BodyReadTimeout: noReadTimeout,
		Security: []map[string][]string{{"admin": {}}},
		Metadata: map[string]any{"permission": o.Permission, "unkept": o.Unkept, "example": o.Example},
	}
	if o.Content != "" {
		op.Responses = map[string]*huma.Response{strconv.Itoa(o.Status): {
			Description: "The file.",
			Content:     map[string]*huma.MediaType{o.Content: {Schema: &huma.Schema{Type: "string", Format: "binary"}}},
		}}
	}
	if o.Permission != "" {
		op.Description = "Needs the permission `" + string(o.Permission) + "`."
	}
	if o.Method == http.MethodPost && !o.Unkept {
		op.Parameters = append(op.Parameters, idempotencyParameter)
	}
	return op
}

// removeUnusedResponses removes answers from the document that the library adds and this API never sends.
func (a *API) removeUnusedResponses(o Operation) {
	item := a.huma.OpenAPI().Paths[Prefix+o.Path]
	for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
		if op != nil && op.OperationID == o.ID {
			delete(op.Responses, strconv.Itoa(http.StatusUnprocessableEntity))
		}
	}
}

// authorize refuses callers without a role for the operation before its input is read. The service checks again, including
// the tenant.
func (a *API) authorize(ctx huma.Context, next func(huma.Context)) {
	p, _ := ctx.Operation().Metadata["permission"].(auth.Permission)
	if p != "" && !findActor(ctx.Context()).Can(p) {
		a.writeProblem(ctx, convertProblem(admin.NewMissingRoleError(p)))
		return
	}
	next(ctx)
}

// writeProblem sends an error outside of a handler.
func (a *API) writeProblem(ctx huma.Context, p *Problem) {
	ctx.SetHeader("Content-Type", "application/json")
	ctx.SetStatus(p.status)
	_ = huma.DefaultJSONFormat.Marshal(ctx.BodyWriter(), p) // fails only if the client has disconnected
}

// recordAnswer answers with a record.
type recordAnswer[T any] struct {
	ETag string `header:"ETag" doc:"The version of the record, for If-Match."`
	Body T
}

// answerRecord returns the answer with a record.
func answerRecord[T any](v T, err error) (*recordAnswer[T], error) {
	if err != nil {
		return nil, err
	}
	return &recordAnswer[T]{ETag: admin.ComputeTag(v), Body: v}, nil
}

// valueAnswer answers with a value that has no version.
type valueAnswer[T any] struct{ Body T }

// answerValue returns the answer with a value that has no version.
func answerValue[T any](v T, err error) (*valueAnswer[T], error) {
	if err != nil {
		return nil, err
	}
	return &valueAnswer[T]{v}, nil
}

// createdAnswer answers with a new record.
type createdAnswer[T any] struct {
	Location string `header:"Location" doc:"The path of the record."`
	ETag     string `header:"ETag" doc:"The version of the record, for If-Match."`
	Body     T
}

// answerCreated returns the answer with a new record, which can be read at the path.
func answerCreated[T any](path string, v T, err error) (*createdAnswer[T], error) {
	if err != nil {
		return nil, err
	}
	return &createdAnswer[T]{Location: Prefix + path, ETag: admin.ComputeTag(v), Body: v}, nil
}

// conflicts are the errors of changes: the configuration file manages the record, or the version is not current.
var conflicts = []int{http.StatusConflict, http.StatusPreconditionFailed}

// emptyAnswer is an answer without a body.
type emptyAnswer struct{}

func answerEmpty(err error) (*emptyAnswer, error) { return nil, err }

// Match is the header of a change that applies to one version of a record.
type Match struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the version to which the change applies."`
}

func (m Match) convert() admin.Match { return admin.Match(m.IfMatch) }
