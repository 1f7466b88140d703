package proxy

import (
	"cmp"
	"context"
	"maps"
	"net/http"
	"slices"
	"strconv"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/anthropic"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/records/audit"
)

// modelsName is the dialect name of model lists in records and metrics.
const modelsName = "openai.models"

// offer is a model that clients can use by name.
type offer struct {
	id    string
	owner route.Provider
	sent  string // the name that its owner uses
}

// cataloguer is a provider that knows models which its configuration does not list.
type cataloguer interface {
	// Catalogue returns their names; none if calls cannot be signed.
	Catalogue() []string
}

// listOffersIn returns the models that a tenant of the region can use: those that are configured, and those of the catalogue, with
// the provider's prefix where another one serves the bare name.
func listOffersIn(s *snapshot.Snapshot, region string) []offer {
	var list []offer
	seen := map[string]bool{}
	for _, o := range listOffers(s) {
		if plan, known := s.Router.PlanFor(nil, route.Query{Model: o.id, Region: region, Still: true}); !known || len(plan) > 0 {
			list, seen[o.id] = append(list, o), true
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) {
		owner, ok := s.Providers[name].(cataloguer)
		if !ok {
			continue
		}
		for _, model := range owner.Catalogue() {
			for _, id := range [...]string{model, name + "/" + model} {
				if o, ok := findOffer(s, id, region); ok && o.owner.Name() == name {
					if !seen[id] {
						list, seen[id] = append(list, o), true
					}
					break
				}
			}
		}
	}
	slices.SortFunc(list, func(a, b offer) int { return strings.Compare(a.id, b.id) })
	return list
}

// findOffer returns the model with that name.
func findOffer(s *snapshot.Snapshot, id, region string) (offer, bool) {
	if route.CheckModelName(id, "model") != nil {
		return offer{}, false
	}
	plan, _ := s.Router.PlanFor(nil, route.Query{Model: id, Region: region, Still: true})
	if len(plan) == 0 || s.Providers[plan[0].Provider] == nil {
		return offer{}, false
	}
	return offer{id, s.Providers[plan[0].Provider], plan[0].Model}, true
}

// listOffers returns the models of the providers that clients can reach, and those that routes name in full.
func listOffers(s *snapshot.Snapshot) []offer {
	var list []offer
	seen := map[string]bool{}
	add := func(id string, owner route.Provider, sent string) {
		if owner == nil || seen[id] || strings.ContainsAny(id, "*?") {
			return
		}
		seen[id] = true
		list = append(list, offer{id, owner, sent})
	}
	for _, r := range s.Router.Routes() {
		if len(r.Targets) > 0 {
			first := &r.Targets[0]
			add(r.Pattern, s.Providers[first.Provider], cmp.Or(first.ModelOverride, r.Pinned, r.Pattern))
		}
	}
	for _, name := range slices.Sorted(maps.Keys(s.Providers)) { // two providers may list the same model
		if !s.Router.Reaches(name) {
			continue
		}
		owner := s.Providers[name]
		for _, id := range owner.Models() {
			add(id, owner, id)
		}
	}
	slices.SortFunc(list, func(a, b offer) int { return strings.Compare(a.id, b.id) })
	return list
}

// listModels lists the models in the format that the endpoint and the client's header select: clients of three vendors use
// the same path.
func (p *Proxy) listModels(c *gin.Context, form lister) {
	form = form.chooseFormat(c)
	shape := form.chooseErrorDialect()
	p.serveLocalRequest(c, modelsName, shape, auth.ScopeModels, func(s *snapshot.Snapshot, who *core.Principal) ([]byte, *core.Error) {
		list := slices.DeleteFunc(listOffersIn(s, who.Region), func(o offer) bool { return auth.RequireModel(who, o.id, "") != nil })
		return form.appendModels(s, list, p.Started), nil
	})
}

// showModel describes one model. Its name may contain slashes.
func (p *Proxy) showModel(c *gin.Context, form lister) {
	form = form.chooseFormat(c)
	id := strings.TrimPrefix(c.Param("call"), "/")
	shape := form.chooseErrorDialect()
	p.serveLocalRequest(c, modelsName, shape, auth.ScopeModels, func(s *snapshot.Snapshot, who *core.Principal) ([]byte, *core.Error) {
		o, ok := findOffer(s, id, who.Region)
		if ok && auth.RequireModel(who, id, "") == nil && (form != listAnthropic || servesMessages(o.owner)) {
			return form.appendModel(s, o, p.Started), nil
		}
		return nil, &core.Error{
			Kind: core.NotFound, Code: core.CodeModelNotFound, Param: "model",
			Public: "no provider serves this model; GET /v1/models lists the models",
		}
	})
}

// chooseFormat returns the format that the endpoint and the client's header select.
func (l lister) chooseFormat(c *gin.Context) lister {
	switch {
	case l != listOpenAI:
	case c.GetHeader("Anthropic-Version") != "" || c.GetHeader("Msgapi-Version") != "":
		return listAnthropic
	case c.GetHeader("X-Goog-Api-Key") != "":
		return listGemini
	}
	return l
}

// serveLocalRequest answers a request about the gateway itself: no chain, no provider, and a record only if the caller is
// unknown.
func (p *Proxy) serveLocalRequest(
	c *gin.Context,
	name string,
	shape core.Dialect,
	scope string,
	answer func(*snapshot.Snapshot, *core.Principal) ([]byte, *core.Error),
) {
	s := p.Snapshots.Acquire()
	defer s.Release()
	x := core.Exchange{Dialect: name, Received: time.Now(), Outcome: core.Outcome{Kind: core.Served, Status: http.StatusOK, Complete: true}}
	x.ID, x.Trace = newIDs(c.Request.Header)
	c.Header("X-Trace-Id", x.Trace)
	defer func() { p.Telemetry.RecordExchange(&x, time.Since(x.Received)) }()
	var body []byte
	var e *core.Error
	if x.Principal, e = p.Auth.Authenticate(s.Keys, c.Request, x.Received); e == nil {
		e = auth.RequireScope(x.Principal, scope)
	}
	if e == nil && c.Request.Method == http.MethodPost {
		e = checkActive(x.Principal)
	}
	if e == nil {
		body, e = answer(s, x.Principal)
	}
	if e == nil {
		c.Data(http.StatusOK, "application/json", body)
		return
	}
	x.Outcome.Kind, x.Outcome.Status, x.Outcome.Err = core.Refused, e.HTTPStatus(), e
	if e.RetryAfter > 0 {
		c.Header("Retry-After", strconv.Itoa(int((e.RetryAfter+time.Second-1)/time.Second)))
	}
	if e.Kind == core.Unauthenticated {
		c.Header("Www-Authenticate", "Bearer")
		p.recordUnauthenticated(context.WithoutCancel(c.Request.Context()), &x, new(audit.Payload))
	}
	c.Data(e.HTTPStatus(), "application/json", shape.AppendError(nil, e))
}

// chooseErrorDialect returns the dialect of the errors that go with the format.
func (l lister) chooseErrorDialect() core.Dialect {
	switch l {
	case listAnthropic:
		return anthropic.Messages{}
	case listGemini:
		return geminiErrors
	}
	return openai.Chat{}
}
