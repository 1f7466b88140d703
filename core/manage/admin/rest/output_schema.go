package rest

import (
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// addOutputSchemas adds the operations on output schemas.
func (a *API) addOutputSchemas() {
	s := a.Service.OutputSchemas()
	mountCRUD(a, entity[admin.OutputSchema, PageQuery]{
		name: "OutputSchema", noun: "an output schema", tag: "Output schemas", path: "/schemas",
		permissions: permissions{read: auth.SchemasRead, write: auth.SchemasWrite},
		bareList:    true, list: "List output schemas, in the order in which they are matched",
		id: func(o admin.OutputSchema) string { return o.ID }, query: adaptPlainList(s.List),
	}, s)
}
