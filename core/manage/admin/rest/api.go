package rest

import (
	"context"
	"net/http"
	"path"
	"reflect"
	"strings"

	"github.com/danielgtaylor/huma/v2"
	"github.com/danielgtaylor/huma/v2/adapters/humagin"
	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/meter/money"
)

// Authenticator finds who sends a request.
type Authenticator interface {
	// Authenticate answers the actor of a request by its header, or a core.Error.
	Authenticate(ctx context.Context, r *http.Request) (*auth.Actor, error)
}

// Options are what the API works with. All are needed.
type Options struct {
	Service *admin.Service
	Auth    Authenticator
	Replies Replies
	// Failed hears of errors that are the gateway's own fault.
	Failed func(ctx context.Context, err error)
	// Trace is the trace id of a request.
	Trace   func(http.Header) string
	Version string // of the program, for the document
}

// API is the administrative API with its document.
type API struct {
	Options
	huma huma.API
	// Operations are those that are mounted.
	Operations []Operation
}

// Prefix begins the path of every operation.
const Prefix = "/admin/v1"

// Mount adds the API to a router.
func Mount(e *gin.Engine, o Options) *API {
	c := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Headgate", Version: o.Version},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", schemaName),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"admin": {Type: "http", Scheme: "bearer", Description: "A personal access token (headgate_pat_…), or a JWT of the identity provider."},
				},
			},
		},
		Formats:                      map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}
	c.Components.Schemas.RegisterTypeAlias(reflect.TypeFor[money.Amount](), reflect.TypeFor[float64]()) // numbers in documents and checks; they are read exactly
	a := &API{Options: o}
	a.huma = humagin.NewWithGroup(e, e.Group("", a.authenticate), c)
	a.huma.UseMiddleware(a.authorize, a.replayRepeated)
	for _, add := range []func(){
		a.addTenants,
		a.addKeys,
		a.addUsers,
		a.addMembers,
		a.addPATs,
		a.addRoutes,
		a.addProviders,
		a.addWebhooks,
		a.addGuardrailPlugins,
		a.addOutputSchemas,
		a.addPII,
		a.addPolicies,
		a.addChain,
		a.addPrices,
		a.addCosts,
		a.addBudgets,
		a.addChargebacks,
		a.addPlugins,
		a.addApprovals,
		a.addGitOps,
		a.addAuditLog,
		a.addReports,
		a.addLicense,
	} {
		add()
	}
	return a
}

// schemaName is the name of a type in the document. Those of other packages have the package's before them: two packages may
// have a type of one name.
func schemaName(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	switch pkg := path.Base(t.PkgPath()); pkg {
	case ".", "admin", "rest":
		return name
	default:
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
}
