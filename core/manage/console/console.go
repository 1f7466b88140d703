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
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// Options are what the console works with. Service, Auth and Ready are needed.
type Options struct {
	Service *admin.Service
	Auth    *auth.Admin
	// URL is where browsers find the console: scheme, host and port. nil: as the listener is asked, on loopback names alone.
	URL *url.URL
	// Gateway is where clients of models find the gateway, for examples; "": not on this node.
	Gateway string
	// Passwords reports whether people sign in with passwords of Headgate's own.
	Passwords bool
	// OIDC and SAML are the identity provider at which people sign in; nil: it is not that one. Box is needed with them.
	OIDC *sso.Client
	SAML *saml.Provider
	Box  Box
	// SetupCode is asked for when the first owner is made; "": it is not, since only this machine reaches the console.
	SetupCode string
	// Providers are those that this process can call; nil: it calls none.
	Providers func() []Provider
	// Plan is where a model's name leads, for a workspace of a region; known is false when no route fits. nil: it leads nowhere.
	Plan func(model, region string) (targets []core.TargetRef, known bool)
	// Status is how this process stands; nil: it does not say.
	Status func() Status
	// Ready reports whether the database answers.
	Ready func(context.Context) error
	// Failed hears of faults of the console's own. May be nil.
	Failed func(ctx context.Context, trace string, err error)
	// Trace is the trace id of a request.
	Trace func(http.Header) string
	// Running are the links of the chain that this node runs, in order; nil: it serves no traffic.
	Running func() []RunningLink
	// Version is that of the program.
	Version string
	// Now is the clock; nil: the system's.
	Now func() time.Time
	// Recent are the newest exchanges that this node has served, and Playground asks models through its gateway. nil: it
	// serves none.
	Recent     *recent.Ring
	Playground Playground
}

// Console serves the pages.
type Console struct {
	Options
	engine   *gin.Engine
	sets     sync.Map // templates by page, parsed when they are first shown
	statics  map[string]*static
	once     used
	needs    map[string]auth.Permission // by method and path of a page: what its readers may do; "" is everybody who is signed in
	sections []section
}

// New makes the console.
func New(o Options) (*Console, error) {
	if o.Failed == nil {
		o.Failed = func(context.Context, string, error) {}
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
	c := &Console{Options: o, engine: gin.New(), sections: menu(), needs: map[string]auth.Permission{}}
	var err error
	if c.statics, err = readStatics(); err != nil {
		return nil, err
	}
	c.engine.HandleMethodNotAllowed = true
	c.engine.RedirectTrailingSlash = false
	c.engine.Use(c.recovered, c.guarded)
	c.mountAll()
	return c, nil
}

// area is a part of the console that mounts its own pages.
type area interface{ mount(c *Console) }

// areas returns the parts of the console, each with what it needs.
func areas(o *Options) []area {
	return []area{
		&signInHandlers{auth: o.Auth, service: o.Service, passwords: o.Passwords, setupCode: o.SetupCode, provider: signInPath(o)},
		&ssoHandlers{auth: o.Auth, oidc: o.OIDC, saml: o.SAML, url: o.URL, now: o.Now, provider: signInPath(o)},
		&accountHandlers{auth: o.Auth, passwords: o.Passwords},
		&tokenHandlers{},
		&overviewHandlers{},
		&requestHandlers{recent: o.Recent},
		&playgroundHandlers{playground: o.Playground, recent: o.Recent, gateway: o.Gateway},
		&workspaceHandlers{},
		&memberHandlers{passwords: o.Passwords},
		&routeHandlers{plan: o.Plan, providers: o.Providers},
		&providerHandlers{providers: o.Providers},
		&latencyHandlers{},
		&chainHandlers{running: o.Running},
		&pluginHandlers{running: o.Running},
		&guardrailHandlers{},
		&policyHandlers{},
		&schemaHandlers{},
		&vaultHandlers{},
		&approvalHandlers{},
		&auditHandlers{now: o.Now},
		&complianceHandlers{now: o.Now},
		&costHandlers{now: o.Now},
		&budgetHandlers{},
		&priceHandlers{},
		&chargebackHandlers{now: o.Now},
		&userHandlers{passwords: o.Passwords},
		&webhookHandlers{},
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
	for _, a := range areas(&c.Options) {
		a.mount(c)
	}
	c.engine.NoRoute(func(g *gin.Context) {
		c.outside(g, &core.Error{Kind: core.NotFound, Code: core.CodeNotFound, Public: "There is no such page."})
	})
	c.engine.NoMethod(func(g *gin.Context) {
		c.outside(g, &core.Error{Kind: core.MethodNotAllowed, Code: core.CodeMethodNotAllowed, Public: "This page does not take that method."})
	})
}

// ServeHTTP answers a browser.
func (c *Console) ServeHTTP(w http.ResponseWriter, r *http.Request) { c.engine.ServeHTTP(w, r) }

// get mounts a page for those who may do what p names; "" is everybody who is signed in.
func (c *Console) get(path string, p auth.Permission, h func(*request) error) {
	c.needs[http.MethodGet+" "+path] = p
	c.engine.GET(path, c.signedIn(p, h))
}

// post mounts what a form does.
func (c *Console) post(path string, p auth.Permission, h func(*request) error) {
	c.needs[http.MethodPost+" "+path] = p
	c.engine.POST(path, c.signedIn(p, h))
}

// upload mounts what a form with files does, which may have so many bytes.
func (c *Console) upload(path string, p auth.Permission, most int64, h func(*request) error) {
	c.needs[http.MethodPost+" "+path] = p
	c.engine.POST(path, c.bounded(p, most, h))
}

// door returns a handler of a page that needs no session.
func (c *Console) door(h func(*request) error) gin.HandlerFunc {
	return func(g *gin.Context) {
		g.Request.Body = http.MaxBytesReader(g.Writer, g.Request.Body, maxForm)
		r := &request{Context: g, c: c}
		if err := h(r); err != nil {
			r.fail(err)
		}
	}
}
