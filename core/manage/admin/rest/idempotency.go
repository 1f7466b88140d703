package rest

import (
	"bytes"
	"context"
	"crypto/sha256"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/danielgtaylor/huma/v2"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// Replies stores the answers to requests with an idempotency key.
type Replies interface {
	Begin(ctx context.Context, scope, key string, request [32]byte) (*admin.Reply, error)
	End(ctx context.Context, scope, key string, reply *admin.Reply) error
}

// maxKeyLength is the maximum length of an idempotency key in bytes.
const maxKeyLength = 255

var idempotencyParameter = &huma.Param{
	Name:        "Idempotency-Key",
	In:          "header",
	Description: "A unique key of 1 to 255 printable characters per request. A request repeated with the same key within 24 hours gets the first answer and is executed once.",
	Schema:      &huma.Schema{Type: "string"},
}

// replayRepeated answers a repeated POST with the stored answer to the first request with the same idempotency key.
func (a *API) replayRepeated(ctx huma.Context, next func(huma.Context)) {
	key := ctx.Header("Idempotency-Key")
	if key == "" || ctx.Method() != http.MethodPost || ctx.Operation().Metadata["unkept"] == true {
		next(ctx)
		return
	}
	if !isValidIdempotencyKey(key) {
		a.writeProblem(
			ctx,
			convertProblem(
				&core.Error{
					Kind:   core.InvalidRequest,
					Code:   core.CodeInvalidValue,
					Param:  "Idempotency-Key",
					Public: "Idempotency-Key: send 1 to 255 printable ASCII characters",
				},
			),
		)
		return
	}
	limit := ctx.Operation().MaxBodyBytes
	if limit == 0 {
		limit = 1 << 20 // the default of the library
	}
	body, err := io.ReadAll(io.LimitReader(ctx.BodyReader(), limit+1))
	if err != nil {
		a.writeProblem(
			ctx,
			convertProblem(&core.Error{
				Kind: core.InvalidRequest, Code: core.CodeInvalidJSON, Public: "the body ended early; send it again",
				Err: err,
			}),
		)
		return
	}
	u, who := ctx.URL(), findActor(ctx.Context())
	digest := sha256.New()
	for _, part := range [][]byte{[]byte(u.RequestURI()), body} {
		digest.Write(part)
		digest.Write([]byte{0})
	}
	c := context.WithoutCancel(ctx.Context())
	scope := who.ID
	if who.Tenant != "" { // a person of the identity provider may act for several tenants
		scope = strconv.Quote(who.Tenant) + " " + scope
	}
	kept, err := a.Replies.Begin(c, scope, key, [32]byte(digest.Sum(nil)))
	if err != nil {
		if p := convertProblem(err); p.status >= http.StatusInternalServerError {
			a.Failed(c, err)
		}
		a.writeProblem(ctx, convertProblem(err))
		return
	}
	if kept != nil {
		for name, values := range kept.Header {
			for _, v := range values {
				ctx.SetHeader(name, v)
			}
		}
		ctx.SetHeader("Idempotent-Replayed", "true")
		ctx.SetStatus(kept.Status)
		_, _ = ctx.BodyWriter().Write(kept.Body) // fails only if the client has disconnected
		return
	}
	rec := &replyRecorder{embeddedContext: ctx, in: bytes.NewReader(body), reply: admin.Reply{Header: http.Header{}}}
	ended := false
	defer func() {
		if !ended { // the handler panicked
			_ = a.Replies.End(c, scope, key, nil)
		}
	}()
	next(rec)
	keep := &rec.reply
	if keep.Status >= http.StatusInternalServerError || keep.Status == http.StatusUnauthorized {
		keep = nil // the outcome is unknown: allow a retry
	} else {
		keep.Body = rec.out.Bytes()
	}
	ended = true
	if err := a.Replies.End(c, scope, key, keep); err != nil {
		a.Failed(c, err)
	}
}

func isValidIdempotencyKey(key string) bool {
	if len(key) > maxKeyLength {
		return false
	}
	for i := range len(key) {
		if key[i] < 0x20 || key[i] > 0x7e {
			return false
		}
	}
	return true
}

// embeddedContext renames the embedded context, so that replyRecorder can have a method named Context.
type embeddedContext interface{ huma.Context }

// replyRecorder forwards an answer and records it.
type replyRecorder struct {
	embeddedContext
	in    *bytes.Reader
	out   bytes.Buffer
	reply admin.Reply
}

// Unwrap returns the recorded context.
func (r *replyRecorder) Unwrap() huma.Context { return r.embeddedContext }

func (r *replyRecorder) BodyReader() io.Reader { return r.in }

// SetReadDeadline does nothing: the body has been read, and further reads only detect that the client has disconnected.
func (r *replyRecorder) SetReadDeadline(time.Time) error { return nil }

func (r *replyRecorder) SetStatus(code int) {
	r.reply.Status = code
	r.embeddedContext.SetStatus(code)
}

func (r *replyRecorder) SetHeader(name, value string) {
	r.reply.Header.Set(name, value)
	r.embeddedContext.SetHeader(name, value)
}

func (r *replyRecorder) AppendHeader(name, value string) {
	r.reply.Header.Add(name, value)
	r.embeddedContext.AppendHeader(name, value)
}

func (r *replyRecorder) BodyWriter() io.Writer {
	return io.MultiWriter(&r.out, r.embeddedContext.BodyWriter())
}
