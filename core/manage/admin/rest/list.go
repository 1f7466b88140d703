package rest

import (
	"bufio"
	"context"
	"encoding/base64"
	"encoding/json"
	"iter"
	"net/http"
	"reflect"
	"strconv"

	"github.com/danielgtaylor/huma/v2"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// Page contains the query parameters of every list.
type Page struct {
	Limit  int    `query:"limit" minimum:"1" maximum:"1000" doc:"The maximum number of elements. Without it the whole list is returned."`
	Cursor string `query:"cursor" maxLength:"1024" doc:"next_cursor of the previous page."`
}

// decode decodes the cursor.
func (p Page) decode() (admin.Page, error) {
	after, err := base64.RawURLEncoding.DecodeString(p.Cursor)
	if err != nil {
		return admin.Page{}, &core.Error{
			Kind:   core.InvalidRequest,
			Code:   core.CodeInvalidValue,
			Param:  "cursor",
			Public: "cursor: send next_cursor of the previous page unchanged",
		}
	}
	return admin.Page{Limit: p.Limit, After: string(after)}, nil
}

// listBody is the envelope of a list.
type listBody[T any] struct {
	Object     string `json:"object" enum:"list"`
	Data       []T    `json:"data" nullable:"false"`
	HasMore    bool   `json:"has_more,omitempty" doc:"Whether more elements follow. Present if the request has a limit."`
	NextCursor string `json:"next_cursor,omitempty" doc:"The cursor of the next page. Present if more elements follow."`
}

type streamed struct {
	ContentType string `header:"Content-Type"`
	Body        func(huma.Context)
}

// listShape selects the format of a list.
type listShape struct {
	bare bool // without an envelope
}

// registerPagedList adds an operation that returns a list in an envelope.
func registerPagedList[I paged, T any](
	a *API,
	o Operation,
	do func(ctx context.Context, who *auth.Actor, in *I, p admin.Page) (admin.List[T], error),
) {
	registerList[I, T](a, o, listShape{}, reflect.TypeFor[listBody[T]](), do)
}

// registerArray adds an operation that returns a list as a JSON array, where the specification wants one.
func registerArray[I paged, T any](
	a *API,
	o Operation,
	do func(ctx context.Context, who *auth.Actor, in *I, p admin.Page) (admin.List[T], error),
) {
	registerList[I, T](a, o, listShape{bare: true}, reflect.TypeFor[[]T](), do)
}

func registerList[I paged, T any](
	a *API,
	o Operation,
	s listShape,
	body reflect.Type,
	do func(ctx context.Context, who *auth.Actor, in *I, p admin.Page) (admin.List[T], error),
) {
	op := a.declare(o)
	op.Responses = map[string]*huma.Response{strconv.Itoa(http.StatusOK): {
		Description: "The list.",
		Content:     map[string]*huma.MediaType{"application/json": {Schema: huma.SchemaFromType(a.huma.OpenAPI().Components.Schemas, body)}},
	}}
	huma.Register(a.huma, op, func(ctx context.Context, in *I) (*streamed, error) {
		p, err := (*in).page().decode()
		if err != nil {
			return nil, a.reportError(ctx, err)
		}
		ask := p
		if p.Limit > 0 {
			ask.Limit++ // one more than the page tells whether more follow
		}
		list, err := do(ctx, findActor(ctx), in, ask)
		if err != nil {
			return nil, a.reportError(ctx, err)
		}
		if p.Limit > 0 {
			return answerPage(a, ctx, s, p, list)
		}
		return streamList(a, ctx, s, list)
	})
	a.removeUnusedResponses(o)
}

// paged is an input that holds a Page.
type paged interface{ page() Page }

func (p Page) page() Page { return p }

// answerPage answers with one page, which is held in memory.
func answerPage[T any](a *API, ctx context.Context, s listShape, p admin.Page, list admin.List[T]) (*streamed, error) {
	data := make([]T, 0, p.Limit)
	more := false
	for v, err := range list.All {
		if err != nil {
			return nil, a.reportError(ctx, err)
		}
		if len(data) == p.Limit {
			more = true
			break
		}
		data = append(data, v)
	}
	next := ""
	if more {
		next = base64.RawURLEncoding.EncodeToString([]byte(list.Cursor(data[len(data)-1])))
	}
	return &streamed{ContentType: "application/json", Body: func(hc huma.Context) {
		var body any = data
		if !s.bare {
			body = struct {
				Object     string `json:"object"`
				Data       []T    `json:"data"`
				HasMore    bool   `json:"has_more"`
				NextCursor string `json:"next_cursor,omitempty"`
			}{"list", data, more, next}
		}
		if s.bare && next != "" {
			u := hc.URL()
			q := u.Query()
			q.Set("cursor", next)
			hc.SetHeader("Link", "<"+u.Path+"?"+q.Encode()+`>; rel="next"`)
		}
		_ = json.NewEncoder(hc.BodyWriter()).Encode(body) // fails only if the client has disconnected
	}}, nil
}

// streamList writes all elements while they are read. The first one is read before the status is sent, so that an unreadable
// list is an error. A later error breaks the connection, because a part of a list must not look complete.
func streamList[T any](a *API, ctx context.Context, s listShape, list admin.List[T]) (*streamed, error) {
	next, stop := iter.Pull2(list.All)
	v, err, ok := next()
	if ok && err != nil {
		stop()
		return nil, a.reportError(ctx, err)
	}
	return &streamed{ContentType: "application/json", Body: func(hc huma.Context) {
		defer stop()
		w := bufio.NewWriterSize(hc.BodyWriter(), 32<<10)
		open, end := `{"object":"list","data":[`, "]}"
		if s.bare {
			open, end = "[", "]"
		}
		_, _ = w.WriteString(open) // the writer keeps an error until Flush
		for first := true; ok; first = false {
			if err != nil {
				a.Failed(ctx, err)
				panic(http.ErrAbortHandler)
			}
			if !first {
				_ = w.WriteByte(',')
			}
			b, bad := json.Marshal(v)
			if bad != nil {
				a.Failed(ctx, bad)
				panic(http.ErrAbortHandler)
			}
			if _, gone := w.Write(b); gone != nil {
				return
			}
			v, err, ok = next()
		}
		_, _ = w.WriteString(end)
		_ = w.Flush() // fails only if the client has disconnected
	}}, nil
}
