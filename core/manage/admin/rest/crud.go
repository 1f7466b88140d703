package rest

import (
	"cmp"
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// RecordPath names a record.
type RecordPath struct {
	ID string `path:"id" maxLength:"128" doc:"The id of the record."`
}

// RecordMatch names a record and the version to which a change applies.
type RecordMatch struct {
	RecordPath
	Match
}

// permissions are those that an entity requires. The last three default to write.
type permissions struct{ read, write, create, update, remove auth.Permission }

// entity describes records that can be created, listed, read, changed and deleted. V is the record as the API shows it, Q
// the query of a list.
type entity[V any, Q paged] struct {
	name, names string // as operation ids spell them: "Budget"; names defaults to name + "s"
	noun        string // with its article: "a budget"
	tag, path   string
	permissions
	createErrors []int // in addition to those of every operation
	maxBody      int64 // of creation and change, in bytes; 0: 1 MiB
	bareList     bool  // a list is a JSON array without a wrapper
	// Summaries. create, update and remove have defaults.
	list, create, update, remove string

	id    func(V) string
	query func(ctx context.Context, who *auth.Actor, in *Q, p admin.Page) (admin.List[V], error)
}

// records are the operations of one subject: C are the fields of a new record, U those of a change.
type records[V, C, U any] interface {
	Create(ctx context.Context, who *auth.Actor, c C) (V, error)
	Get(ctx context.Context, who *auth.Actor, id string) (V, error)
	Update(ctx context.Context, who *auth.Actor, id string, c U, m admin.Match) (V, error)
	Delete(ctx context.Context, who *auth.Actor, id string, m admin.Match) error
}

// mountCRUD adds the five operations of an entity.
func mountCRUD[V, C, U any, Q paged](a *API, e entity[V, Q], s records[V, C, U]) {
	item := e.path + "/{id}"
	addCreate(a, Operation{
		ID: "create" + e.name, Path: e.path, Tag: e.tag, Summary: cmp.Or(e.create, "Create "+e.noun),
		Permission: cmp.Or(e.permissions.create, e.write), Errors: e.createErrors, MaxBody: e.maxBody,
	}, e.id, s.Create)
	addList := registerPagedList[Q, V]
	if e.bareList {
		addList = registerArray[Q, V]
	}
	addList(
		a,
		Operation{
			ID:         "list" + cmp.Or(e.names, e.name+"s"),
			Method:     http.MethodGet,
			Path:       e.path,
			Tag:        e.tag,
			Summary:    e.list,
			Permission: e.read,
		},
		e.query,
	)
	addGet(a, Operation{ID: "get" + e.name, Path: item, Tag: e.tag, Summary: "Get " + e.noun, Permission: e.read}, s.Get)
	registerOperation(a, Operation{
		ID: "update" + e.name, Method: http.MethodPut, Path: item, Tag: e.tag, Summary: cmp.Or(e.update, "Change the given fields of "+e.noun),
		Permission: cmp.Or(e.permissions.update, e.write), Errors: conflicts, MaxBody: e.maxBody,
	}, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordMatch
		Body U
	},
	) (*recordAnswer[V], error) {
		return answerRecord(s.Update(ctx, who, in.ID, in.Body, in.convert()))
	})
	addDelete(a, Operation{
		ID: "delete" + e.name, Path: item, Tag: e.tag, Summary: cmp.Or(e.remove, "Delete "+e.noun),
		Permission: cmp.Or(e.permissions.remove, e.write), Errors: conflicts,
	}, s.Delete)
}

// addCreate adds the creation of a record, which is read later at the path of the operation and its id.
func addCreate[V, C any](a *API, o Operation, id func(V) string, create func(ctx context.Context, who *auth.Actor, c C) (V, error)) {
	o.Method, o.Status = http.MethodPost, http.StatusCreated
	registerOperation(a, o, func(ctx context.Context, who *auth.Actor, in *struct{ Body C }) (*createdAnswer[V], error) {
		v, err := create(ctx, who, in.Body)
		if err != nil {
			return nil, err
		}
		return answerCreated(o.Path+"/"+id(v), v, nil)
	})
}

// addGet adds the reading of a record.
func addGet[V any](a *API, o Operation, get func(ctx context.Context, who *auth.Actor, id string) (V, error)) {
	o.Method = http.MethodGet
	registerOperation(a, o, func(ctx context.Context, who *auth.Actor, in *RecordPath) (*recordAnswer[V], error) {
		return answerRecord(get(ctx, who, in.ID))
	})
}

// addDelete adds the removal of a record in the version that the request names.
func addDelete(a *API, o Operation, remove func(ctx context.Context, who *auth.Actor, id string, m admin.Match) error) {
	o.Method, o.Status = http.MethodDelete, http.StatusNoContent
	registerOperation(a, o, func(ctx context.Context, who *auth.Actor, in *RecordMatch) (*emptyAnswer, error) {
		return answerEmpty(remove(ctx, who, in.ID, in.convert()))
	})
}

// addAction adds a change of a record that takes nothing but its version.
func addAction[V any](a *API, o Operation, act func(ctx context.Context, who *auth.Actor, id string, m admin.Match) (V, error)) {
	o.Method, o.Errors = http.MethodPost, conflicts
	registerOperation(a, o, func(ctx context.Context, who *auth.Actor, in *RecordMatch) (*recordAnswer[V], error) {
		return answerRecord(act(ctx, who, in.ID, in.convert()))
	})
}

// addActionWithBody adds a change of a record that takes a body, such as a rollback to a version.
func addActionWithBody[V, C any](
	a *API,
	o Operation,
	act func(ctx context.Context, who *auth.Actor, id string, c C, m admin.Match) (V, error),
) {
	o.Method, o.Errors = http.MethodPost, conflicts
	registerOperation(a, o, func(ctx context.Context, who *auth.Actor, in *struct {
		RecordMatch
		Body C
	},
	) (*recordAnswer[V], error) {
		return answerRecord(act(ctx, who, in.ID, in.Body, in.convert()))
	})
}

// TenantQuery lists the records of one tenant.
type TenantQuery struct {
	Page
	TenantID string `query:"tenant_id" maxLength:"128" doc:"Only the records of this tenant."`
}

// adaptTenantList adapts the list of a subject that takes a tenant.
func adaptTenantList[V any](
	list func(ctx context.Context, who *auth.Actor, tenant string, p admin.Page) (admin.List[V], error),
) func(ctx context.Context, who *auth.Actor, in *TenantQuery, p admin.Page) (admin.List[V], error) {
	return func(ctx context.Context, who *auth.Actor, in *TenantQuery, p admin.Page) (admin.List[V], error) {
		return list(ctx, who, in.TenantID, p)
	}
}

// adaptPlainList adapts the list of a subject that has no filters.
func adaptPlainList[V any](
	list func(ctx context.Context, who *auth.Actor, p admin.Page) (admin.List[V], error),
) func(ctx context.Context, who *auth.Actor, in *PageQuery, p admin.Page) (admin.List[V], error) {
	return func(ctx context.Context, who *auth.Actor, _ *PageQuery, p admin.Page) (admin.List[V], error) {
		return list(ctx, who, p)
	}
}

// PageQuery is the query of a list without filters.
type PageQuery struct{ Page }
