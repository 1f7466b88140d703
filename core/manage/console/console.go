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
	"github.com/headgate-dev/headgate/core/records/meter"
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
	engine    *gin.Engine
	sets      sync.Map // templates by page, parsed when they are first shown
	statics   map[string]*static
	once      used
	sums      memo[*costSums]
	months    memo[meter.MonthlyUsage]
	needs     map[string]auth.Permission // by method and path of a page: what its readers may do; "" is everybody who is signed in
	proofs    proofs
	sections  []section
	conflicts conflictMemo
}

// New makes the console.
func New(o Options) (*Console, error) {
	if o.Failed == nil {
		o.Failed = func(context.Context, string, error) {}
	}
	if o.Now == nil {
		o.Now = time.Now
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
	c.routes()
	return c, nil
}

// routes mounts all pages.
func (c *Console) routes() {
	c.health()
	c.assets()
	c.signing()
	for _, mount := range []func(){
		c.single, c.overview, c.explorer, c.playground, c.workspaces, c.members, c.routesPages, c.credentials, c.latency, c.chain, c.plugins,
		c.guardrails, c.policies, c.schemas, c.vault, c.approvals, c.audit, c.compliance, c.costs, c.budgets, c.pricing, c.chargeback,
		c.users, c.tokens, c.account, c.webhooks, c.fleet, c.gitops, c.license,
	} {
		mount()
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
