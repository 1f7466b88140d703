package admin

import (
	"cmp"
	"context"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Route sends models that match a pattern to providers.
type Route struct {
	ID           string        `json:"id"`
	ModelPattern string        `json:"model_pattern" example:"gpt-*"`
	Strategy     string        `json:"strategy" enum:"model-prefix,round-robin,weighted"`
	Providers    []RouteTarget `json:"providers" nullable:"false"`
	Pinned       string        `json:"pinned_model_version,omitempty" doc:"The model version to send instead of the requested name."`
	LatencySLA   int64         `json:"latency_sla_ms" doc:"If set, the cheapest provider that answers within this time comes first. 0: off."`
	OtherRegions bool          `json:"other_regions,omitempty" doc:"Whether targets outside the tenant's region are allowed. Targets inside it come first."`
	Version      int64         `json:"version"`
	Source       string        `json:"source" enum:"api,file"`
	CreatedAt    *time.Time    `json:"created_at,omitempty"`
	UpdatedAt    *time.Time    `json:"updated_at,omitempty"`
}

// RouteTarget is a provider of a route.
type RouteTarget struct {
	Provider      string `json:"provider" minLength:"1" maxLength:"64" example:"openai"`
	Weight        *int   `json:"weight,omitempty" minimum:"0" maximum:"10000" doc:"The share of the requests under the weighted strategy, relative to the other weights. 0 receives none. 1 by default." example:"1"`
	ModelOverride string `json:"model_override,omitempty" maxLength:"256" doc:"The provider's name of the model."`
	Region        string `json:"region,omitempty" maxLength:"64"`
}

// RouteChange contains the fields that a request sends. A nil field keeps its value, or gets the default in a new route.
type RouteChange struct {
	ModelPattern *string        `json:"model_pattern,omitempty" minLength:"1" maxLength:"256"`
	Strategy     *string        `json:"strategy,omitempty" enum:"model-prefix,round-robin,weighted"`
	Providers    *[]RouteTarget `json:"providers,omitempty" nullable:"false" minItems:"1" maxItems:"64"`
	Pinned       *string        `json:"pinned_model_version,omitempty" maxLength:"256" nullable:"true"`
	LatencySLA   *int64         `json:"latency_sla_ms,omitempty" minimum:"0" maximum:"3600000"`
	OtherRegions *bool          `json:"other_regions,omitempty"`
}

func (c *RouteChange) apply(r *store.Route) {
	if c.ModelPattern != nil {
		r.ModelPattern = *c.ModelPattern
	}
	if c.Strategy != nil {
		r.Strategy = *c.Strategy
	}
	if c.Providers != nil {
		r.Targets = make([]store.RouteTarget, len(*c.Providers))
		for i, t := range *c.Providers {
			r.Targets[i] = store.RouteTarget{Provider: t.Provider, Weight: 1, ModelOverride: t.ModelOverride, Region: t.Region}
			if t.Weight != nil {
				r.Targets[i].Weight = *t.Weight
			}
		}
	}
	if c.Pinned != nil {
		r.Pinned = *c.Pinned
	}
	if c.LatencySLA != nil {
		r.LatencySLA = *c.LatencySLA
	}
	if c.OtherRegions != nil {
		r.OtherRegions = *c.OtherRegions
	}
}

// Create creates a route.
func (s Routes) Create(ctx context.Context, who *auth.Actor, c RouteChange) (Route, error) {
	if _, err := s.svc.authorize(ctx, who, auth.RoutesWrite, ""); err != nil {
		return Route{}, err
	}
	switch {
	case c.ModelPattern == nil:
		return Route{}, newMissingFieldError("model_pattern")
	case c.Providers == nil:
		return Route{}, newMissingFieldError("providers")
	}
	r := store.Route{ID: s.svc.NewID(), Strategy: route.ModelPrefix}
	c.apply(&r)
	if err := s.check(&r); err != nil {
		return Route{}, err
	}
	r, err := s.svc.Store.Routes().Insert(ctx, r)
	if err != nil {
		return Route{}, err
	}
	return viewRoute(&r), s.svc.publishChange(ctx, who, created, "route", r.ID, "", nil, viewRoute(&r))
}

// check refuses a route that cannot work with the configured providers.
func (s Routes) check(r *store.Route) error {
	if strings.TrimSpace(r.ModelPattern) == "" {
		return newInvalidValueError("model_pattern", "write a model's name or a pattern of it, such as gpt-*")
	}
	if err := s.svc.Plane.CheckRoute(ConvertRoute(r)); err != nil {
		return newInvalidValueError("providers", "%v", err)
	}
	return nil
}

// List lists the routes of the configuration file and of the store.
func (s Routes) List(ctx context.Context, who *auth.Actor, page Page) (List[Route], error) {
	if _, err := s.svc.authorize(ctx, who, auth.RoutesRead, ""); err != nil {
		return List[Route]{}, err
	}
	stored, err := s.svc.Store.Routes().List(ctx)
	if err != nil {
		return List[Route]{}, err
	}
	all := slices.Clone(s.svc.Plane.Routes())
	for i := range stored {
		all = append(all, viewRoute(&stored[i]))
	}
	return newList(all, page, func(r Route) string { return r.ID })
}

// Get returns a route.
func (s Routes) Get(ctx context.Context, who *auth.Actor, id string) (Route, error) {
	if _, err := s.svc.authorize(ctx, who, auth.RoutesRead, ""); err != nil {
		return Route{}, err
	}
	if r, ok := s.findInFile(id); ok {
		return r, nil
	}
	r, err := s.svc.Store.Routes().Get(ctx, id)
	return viewRoute(&r), mapNotFound(err, "route")
}

func (s Routes) findInFile(id string) (Route, bool) {
	all := s.svc.Plane.Routes()
	i := slices.IndexFunc(all, func(r Route) bool { return r.ID == id })
	if i < 0 {
		return Route{}, false
	}
	return all[i], true
}

// Update changes the given fields as a new version.
func (s Routes) Update(ctx context.Context, who *auth.Actor, id string, c RouteChange, m Match) (Route, error) {
	return s.change(ctx, who, id, updated, m, func(r *store.Route) error {
		c.apply(r)
		return s.check(r)
	})
}

func (s Routes) change(ctx context.Context, who *auth.Actor, id, action string, m Match, change func(*store.Route) error) (Route, error) {
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.RoutesWrite, ""); err != nil {
		return Route{}, err
	}
	if _, ok := s.findInFile(id); ok {
		return Route{}, checkSource(store.SourceFile)
	}
	r, err := s.svc.Store.Routes().Change(ctx, id, func(r *store.Route) error {
		if err := m.Check(was.storeView(viewRoute(r))); err != nil {
			return err
		}
		return change(r)
	})
	if err != nil {
		return Route{}, mapNotFound(err, "route")
	}
	return viewRoute(&r), s.svc.publishChange(ctx, who, action, "route", id, "", was.view, viewRoute(&r))
}

// Delete removes a route and its versions.
func (s Routes) Delete(ctx context.Context, who *auth.Actor, id string, m Match) error {
	var was changedRecord
	if _, err := s.svc.authorize(ctx, who, auth.RoutesWrite, ""); err != nil {
		return err
	}
	if _, ok := s.findInFile(id); ok {
		return checkSource(store.SourceFile)
	}
	if err := s.svc.Store.Routes().Delete(ctx, id, func(r store.Route) error { return m.Check(was.storeView(viewRoute(&r))) }); err != nil {
		return mapNotFound(err, "route")
	}
	return s.svc.publishChange(ctx, who, deleted, "route", id, "", was.view, nil)
}

// ConvertRoute converts a stored route to the form of the router.
func ConvertRoute(r *store.Route) route.Route {
	out := route.Route{
		ID: r.ID, Pattern: r.ModelPattern, Strategy: cmp.Or(r.Strategy, route.ModelPrefix), Pinned: r.Pinned,
		OtherRegions: r.OtherRegions, LatencySLA: time.Duration(r.LatencySLA) * time.Millisecond, Stored: true,
	}
	for _, t := range r.Targets {
		out.Targets = append(out.Targets, route.Target{Provider: t.Provider, Weight: t.Weight, ModelOverride: t.ModelOverride, Region: t.Region})
	}
	return out
}

func viewRoute(r *store.Route) Route {
	v := Route{
		ID: r.ID, ModelPattern: r.ModelPattern, Strategy: r.Strategy, Pinned: r.Pinned, LatencySLA: r.LatencySLA,
		OtherRegions: r.OtherRegions, Version: r.Version, Source: store.SourceAPI, CreatedAt: &r.CreatedAt, UpdatedAt: &r.UpdatedAt,
		Providers: make([]RouteTarget, len(r.Targets)),
	}
	for i := range r.Targets {
		t := r.Targets[i]
		v.Providers[i] = RouteTarget{Provider: t.Provider, Weight: &t.Weight, ModelOverride: t.ModelOverride, Region: t.Region}
	}
	return v
}
