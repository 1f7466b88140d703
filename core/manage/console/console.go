package console

import (
	"context"
	"net/http"
	"net/url"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/auth/saml"
	"github.com/headgate-dev/headgate/core/auth/sso"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/gateway/shadow"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// Options configure the console. Service, Auth and Ready are required.
type Options struct {
	Service *admin.Service
	Auth    *auth.Admin
	// URL is the address that browsers use: scheme, host and port. Optional: without it the console answers only to loopback
	// names.
	URL *url.URL
	// Gateway is the address that clients of models use, for examples; "" if this node has no gateway.
	Gateway string
	// Passwords reports whether people sign in with Headgate passwords instead of an identity provider.
	Passwords bool
	// OIDC or SAML is the identity provider at which people sign in. Optional; with one of them, Box is required.
	OIDC *sso.Client
	SAML *saml.Provider
	Box  Box
	// SetupCode is required to create the first owner. "", for tests, requires none.
	SetupCode string
	// Proxies are trusted to name the address of a client.
	Proxies auth.Proxies
	// Providers returns the providers that this process can call. Optional.
	Providers func() []Provider
	// Plan returns the targets of a model for a workspace of a region; known is false if no route matches. Optional.
	Plan func(model, region string) (targets []core.TargetRef, known bool)
	// Catalogue lists the models that this process knows. Optional.
	Catalogue Catalogue
	// Status returns the state of this process. Optional.
	Status func() Status
	// Ready returns an error if the database does not answer.
	Ready func(context.Context) error
	// ReportError receives internal errors of the console. Optional.
	ReportError func(ctx context.Context, trace string, err error)
	// Trace returns the trace id of a request. Optional.
	Trace func(http.Header) string
	// Running returns the links of the chain that this node runs, in order. Optional: a node may serve no traffic.
	Running func() []RunningLink
	// Version is the version of the program.
	Version string
	// Now is the clock. Optional: time.Now.
	Now func() time.Time
	// Recent holds the newest exchanges of this node, Shadow what its links in shadow mode would have done, and Playground calls
	// models through its gateway. All are nil on a node that serves no traffic.
	Recent     *recent.Ring
	Shadow     *shadow.Log
	Playground Playground
}

// Console serves the pages. It is safe for concurrent use.
type Console struct {
	Options
	engine   *gin.Engine
	sets     sync.Map // templates by page, parsed at first use
	statics  map[string]*static
	forms    sentForms
	needs    map[string]auth.Permission // by method and path of a page; "" admits every user who is signed in
	sections []section
}

// New returns a console with all its pages mounted.
func New(o Options) (*Console, error) {
	if o.ReportError == nil {
		o.ReportError = func(context.Context, string, error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
	}
	if o.Providers == nil {
		o.Providers = func() []Provider { return nil }
	}
	if o.Status == nil {
		o.Status = func() Status { return Status{} }
	}
	if o.Running == nil {
		o.Running = func() []RunningLink { return nil }
	}
	gin.SetMode(gin.ReleaseMode)
	c := &Console{Options: o, engine: gin.New(), sections: listSections(), needs: map[string]auth.Permission{}}
	var err error
	if c.statics, err = readStatics(); err != nil {
		return nil, err
	}
	c.engine.HandleMethodNotAllowed = true
	c.engine.RedirectTrailingSlash = false
	c.engine.Use(c.recoverPanic, c.guardRequest)
	c.mountAll()
	return c, nil
}

// area is a part of the console that mounts its own pages.
type area interface{ mount(c *Console) }

// listAreas returns the parts of the console with their dependencies.
func listAreas(o *Options) []area {
	return []area{
		&signInHandlers{auth: o.Auth, service: o.Service, passwords: o.Passwords, setupCode: o.SetupCode, provider: chooseSignInPath(o)},
		&ssoHandlers{auth: o.Auth, oidc: o.OIDC, saml: o.SAML, url: o.URL, now: o.Now, provider: chooseSignInPath(o)},
		&invitationHandlers{auth: o.Auth, service: o.Service, passwords: o.Passwords},
		&accountHandlers{auth: o.Auth, passwords: o.Passwords},
		&tokenHandlers{},
		&overviewHandlers{},
		&findHandlers{},
		&requestHandlers{recent: o.Recent},
		&playgroundHandlers{playground: o.Playground, recent: o.Recent, gateway: o.Gateway},
		newWorkspacePages(o),
		&memberHandlers{passwords: o.Passwords},
		newRoutePages(o),
		newProviderPages(o.Providers),
		&modelHandlers{catalogue: o.Catalogue},
		newServerPages(o.Recent),
		newVirtualPages(),
		newAgentPages(),
		&latencyHandlers{},
		&chainHandlers{running: o.Running},
		&chainLinkHandlers{shadow: o.Shadow},
		&chainAddHandlers{},
		&chainEditHandlers{&chainLinkHandlers{shadow: o.Shadow}},
		&pluginHandlers{running: o.Running},
		newGuardrailPages(),
		&policyHandlers{},
		newSchemaResource(),
		&vaultHandlers{},
		&approvalHandlers{},
		&auditHandlers{now: o.Now},
		newReportPages(o.Now),
		&costHandlers{now: o.Now},
		newBudgetResource(),
		newPriceResource(),
		newChargebackPages(o.Now),
		newUserPages(o.Passwords),
		newWebhookPages(),
		&fleetHandlers{now: o.Now, status: o.Status},
		&configHandlers{},
		&licenseHandlers{now: o.Now},
		&usageHandlers{now: o.Now},
	}
}

// mountAll mounts the pages of all areas, the probes and the static files.
func (c *Console) mountAll() {
	c.mountProbes()
	c.mountStatics()
	for _, a := range listAreas(&c.Options) {
		a.mount(c)
	}
	c.engine.NoRoute(func(g *gin.Context) {
		c.showErrorPage(g, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "This page does not exist."})
	})
	c.engine.NoMethod(func(g *gin.Context) {
		c.showErrorPage(g, &core.Error{
			Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed,
			Public: "This page does not support that method.",
		})
	})
}

// ServeHTTP serves a page, or a file that pages load.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.engine.ServeHTTP(w, r) }

// mountGet mounts a page for users with a permission; "" admits every user who is signed in.
func (c *Console) mountGet(path string, p auth.Permission, h func(*request) error) {
	c.needs[http.MethodGet+" "+path] = p
	c.engine.GET(path, c.requireSignIn(p, h))
}

// mountPost mounts the handler of a form.
func (c *Console) mountPost(path string, p auth.Permission, h func(*request) error) {
	c.needs[http.MethodPost+" "+path] = p
	c.engine.POST(path, c.requireSignIn(p, h))
}

// mountUpload mounts the handler of a form with files, of at most the given number of bytes in total.
func (c *Console) mountUpload(path string, p auth.Permission, most int64, h func(*request) error) {
	c.needs[http.MethodPost+" "+path] = p
	c.engine.POST(path, c.requireSession(p, most, h))
}

// allowAnyone returns a handler of a page that needs no session.
func (c *Console) allowAnyone(h func(*request) error) gin.HandlerFunc {
	return func(g *gin.Context) {
		g.Request.Body = http.MaxBytesReader(g.Writer, g.Request.Body, maxForm)
		r := &request{Context: g, c: c}
		if err := h(r); err != nil {
			r.fail(err)
		}
	}
}
