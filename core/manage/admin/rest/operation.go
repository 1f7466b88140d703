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

// Operation is one endpoint.
type Operation struct {
	ID, Method, Path string
	Summary, Tag     string
	Permission       auth.Permission // "": any valid credential will do
	Status           int             // of success; 0: 200
	Errors           []int           // beyond 400, 401, 403, and 404 where the path names a record
	MaxBody          int64           // bytes; 0: 1 MiB
	Content          string          // the media type of an answer that is a file; "": JSON
	Unkept           bool            // the answer holds what must not be kept: an Idempotency-Key has no effect
}

// noReadTimeout leaves slow bodies to the listener. A deadline of the library's would be the connection's, outlast the body,
// and end requests that take longer to answer.
const noReadTimeout = -1

// handle adds an operation. Its input and output are described by their types.
func handle[I, O any](a *API, o Operation, do func(ctx context.Context, who *auth.Actor, in *I) (*O, error)) {
	op := a.declare(o)
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*O, error) {
		out, err := do(ctx, actorOf(ctx), in)
		if err != nil {
			return nil, a.reportError(ctx, err)
		}
		return out, nil
	})
	a.removeUnusedResponses(o)
}

// reportError is the answer to an error; one that is the gateway's own fault is told to the log.
func (a *API) reportError(ctx context.Context, err error) error {
	p := problemOf(err)
	if p.status >= http.StatusInternalServerError && ctx.Err() == nil {
		a.Failed(ctx, err)
	}
	return p
}

// declare notes an operation and describes it to the library.
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
		errs = append(errs, http.StatusConflict) // of an Idempotency-Key
	}
	op := huma.Operation{
		OperationID: o.ID, Method: o.Method, Path: Prefix + o.Path, Summary: o.Summary, Tags: []string{o.Tag},
		DefaultStatus: o.Status, Errors: errs, MaxBodyBytes: o.MaxBody, BodyReadTimeout: noReadTimeout,
		Security: []map[string][]string{{"admin": {}}},
		Metadata: map[string]any{"permission": o.Permission, "unkept": o.Unkept},
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

// removeUnusedResponses takes what the library adds to each operation, and this API never answers, out of the document.
func (a *API) removeUnusedResponses(o Operation) {
	item := a.huma.OpenAPI().Paths[Prefix+o.Path]
	for _, op := range []*huma.Operation{item.Get, item.Put, item.Post, item.Delete, item.Patch} {
		if op != nil && op.OperationID == o.ID {
			delete(op.Responses, strconv.Itoa(http.StatusUnprocessableEntity))
		}
	}
}

// authorize refuses who has no role for the operation, before its input is looked at. The service asks again, about the
// tenant too.
func (a *API) authorize(ctx huma.Context, next func(huma.Context)) {
	p, _ := ctx.Operation().Metadata["permission"].(auth.Permission)
	if p != "" && !actorOf(ctx.Context()).Can(p) {
		a.write(ctx, problemOf(admin.MissingRole(p)))
		return
	}
	next(ctx)
}

// write answers with an error from outside of a handler.
func (a *API) write(ctx huma.Context, p *Problem) {
	ctx.SetHeader("Content-Type", "application/json")
	ctx.SetStatus(p.status)
	_ = huma.DefaultJSONFormat.Marshal(ctx.BodyWriter(), p) // the client has left
}

// recordAnswer answers with a record.
type recordAnswer[T any] struct {
	ETag string `header:"ETag" doc:"The version of the record, for If-Match."`
	Body T
}

// answerRecord is the answer with a record.
func answerRecord[T any](v T, err error) (*recordAnswer[T], error) {
	if err != nil {
		return nil, err
	}
	return &recordAnswer[T]{ETag: admin.Tag(v), Body: v}, nil
}

// valueAnswer answers with what is no record.
type valueAnswer[T any] struct{ Body T }

// answerValue is the answer with what is no record.
func answerValue[T any](v T, err error) (*valueAnswer[T], error) {
	if err != nil {
		return nil, err
	}
	return &valueAnswer[T]{v}, nil
}

// createdAnswer answers with a new record.
type createdAnswer[T any] struct {
	Location string `header:"Location" doc:"Where the record is read."`
	ETag     string `header:"ETag" doc:"The version of the record, for If-Match."`
	Body     T
}

// answerCreated is the answer with a new record, which is read at the path.
func answerCreated[T any](path string, v T, err error) (*createdAnswer[T], error) {
	if err != nil {
		return nil, err
	}
	return &createdAnswer[T]{Location: Prefix + path, ETag: admin.Tag(v), Body: v}, nil
}

// conflicts are the refusals of changes: of a record of the configuration file, and of a version that is not current.
var conflicts = []int{http.StatusConflict, http.StatusPreconditionFailed}

// emptyAnswer is an answer without a body.
type emptyAnswer struct{}

func answerEmpty(err error) (*emptyAnswer, error) { return nil, err }

// Match is what a change carries when it is meant for one version of a record.
type Match struct {
	IfMatch string `header:"If-Match" doc:"The ETag of the version that the change is meant for."`
}

func (m Match) match() admin.Match { return admin.Match(m.IfMatch) }
