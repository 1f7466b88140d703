package rest

import (
	"cmp"
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

// Authenticator identifies the caller of a request.
type Authenticator interface {
	// Authenticate returns the actor of a request from its headers, or a core.Error.
	Authenticate(ctx context.Context, r *http.Request) (*auth.Actor, error)
}

// Options contains the dependencies of the API. All are required.
type Options struct {
	Service *admin.Service
	Auth    Authenticator
	Replies Replies
	// Failed is called with internal errors, for the log.
	Failed func(ctx context.Context, err error)
	// Trace returns the trace id of a request.
	Trace   func(http.Header) string
	Version string // of the program, for the document
}

// API is the administrative API with its document.
type API struct {
	Options
	huma huma.API
	// Operations lists the mounted operations in the order of registration.
	Operations []Operation
}

// Prefix is the prefix of all paths.
const Prefix = "/admin/v1"

// Mount adds the API to a router.
func Mount(e *gin.Engine, o Options) *API {
	c := huma.Config{
		OpenAPI: &huma.OpenAPI{
			OpenAPI: "3.1.0",
			Info:    &huma.Info{Title: "Headgate", Version: o.Version},
			Components: &huma.Components{
				Schemas: huma.NewMapRegistry("#/components/schemas/", nameSchema),
				SecuritySchemes: map[string]*huma.SecurityScheme{
					"admin": {Type: "http", Scheme: "bearer", Description: "A personal access token (headgate_pat_…), or a JWT of the identity provider."},
				},
			},
		},
		Formats:                      map[string]huma.Format{"application/json": huma.DefaultJSONFormat, "json": huma.DefaultJSONFormat},
		DefaultFormat:                "application/json",
		RejectUnknownQueryParameters: true,
	}
	c.Components.Schemas.RegisterTypeAlias(
		reflect.TypeFor[money.Amount](),
		reflect.TypeFor[float64](),
	) // documented and validated as numbers; decoding is exact
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
		a.addMCPServers,
		a.addVirtualServers,
		a.addAgents,
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

// nameSchema returns the name of a type in the document. Types of other packages get the name of their package as a prefix,
// because two packages may use the same type name.
func nameSchema(t reflect.Type, hint string) string {
	name := huma.DefaultSchemaNamer(t, hint)
	for t.Kind() == reflect.Pointer || t.Kind() == reflect.Slice {
		t = t.Elem()
	}
	switch pkg := path.Base(t.PkgPath()); pkg {
	case ".", "admin", "rest":
		return name
	case "policydoc":
		// Generated clients know these types by the names that they had in package core.
		return "CorePolicy" + cmp.Or(map[string]string{"Message": "Said"}[name], name)
	default:
		return strings.ToUpper(pkg[:1]) + pkg[1:] + name
	}
}
