package console

import (
	"cmp"
	"fmt"
	"net/url"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// routeHandlers serve routes.
type routeHandlers struct {
	plan      func(model, region string) (targets []core.TargetRef, known bool)
	providers func() []Provider
}

// routesPages mounts routes.
func (h *routeHandlers) mount(c *Console) {
	c.get("/routes", auth.RoutesRead, func(r *request) error { return h.routeList(r, newForm("strategy", "model-prefix"), nil) })
	c.post("/routes", auth.RoutesWrite, h.createRoute)
	c.get("/routes/:id", auth.RoutesRead, func(r *request) error { return h.routePage(r, nil, nil) })
	c.post("/routes/:id", auth.RoutesWrite, h.updateRoute)
	c.post("/routes/:id/rollback", auth.RoutesWrite, h.rollbackRoute)
	c.post("/routes/:id/delete", auth.RoutesWrite, func(r *request) error {
		if err := r.service().Routes().Delete(r.ctx(), r.who, r.Param("id"), ""); err != nil {
			return err
		}
		return r.done("/routes", "The route and its versions are deleted.")
	})
}

// routeList is what the list of routes shows.
type routeList struct {
	Routes    list[admin.Route]
	Form      *Form
	Providers []Option
	Rows      []int // of targets in the form
	Tried     *trial
	Try       *Form
}

// trial is where a model's name leads.
type trial struct {
	Model   string
	Targets []core.TargetRef
	Known   bool
}

func (h *routeHandlers) routeList(r *request, f *Form, refused error) error {
	routes, err := r.service().Routes().List(r.ctx(), r.who, r.page())
	rows, err := collect(r, routes, err)
	if err != nil {
		return err
	}
	data := &routeList{Routes: rows, Form: f, Providers: r.providerChoices(), Rows: targetRows(f), Try: &Form{Values: r.Request.URL.Query()}}
	if model := data.Try.text("model"); model != "" && h.plan != nil {
		t := trial{Model: model}
		t.Targets, t.Known = h.plan(model, data.Try.text("region"))
		data.Tried = &t
	}
	if refused != nil {
		return r.again("routes", "Routes", data, f, refused)
	}
	return r.show("routes", "Routes", data)
}

// providerChoices are the providers that a route may lead to.
func (r *request) providerChoices() []Option {
	out := options("", "–")
	for _, p := range r.c.Providers() {
		out = append(out, Option{Value: p.Name, Label: p.Name})
	}
	return out
}

// spareRows is how many empty targets a form offers.
const spareRows = 2

// targetRows numbers the targets of a form.
func targetRows(f *Form) []int {
	n := spareRows
	for i := 0; f.text(targetField("provider", i)) != "" && i < mostTargets; i++ {
		n++
	}
	out := make([]int, min(n, mostTargets))
	for i := range out {
		out[i] = i
	}
	return out
}

const mostTargets = 64

func targetField(name string, i int) string { return name + "-" + strconv.Itoa(i) }

// routeChange are the fields that a form sends of a route.
func routeChange(f *Form) (admin.RouteChange, error) {
	sla, others, pinned := f.number("latency_sla_ms"), f.on("other_regions"), f.text("pinned_model_version")
	targets := []admin.RouteTarget{}
	for i := range mostTargets {
		t := admin.RouteTarget{
			Provider: f.text(targetField("provider", i)), ModelOverride: f.text(targetField("model_override", i)), Region: f.text(targetField("region", i)),
		}
		if t.Provider == "" {
			continue
		}
		weight := 1
		if f.text(targetField("weight", i)) != "" {
			weight = int(f.number(targetField("weight", i)))
		}
		t.Weight = &weight
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		f.wrong(targetField("provider", 0), "Choose a provider.")
	}
	c := admin.RouteChange{
		ModelPattern: f.opt("model_pattern"), Strategy: f.opt("strategy"), Providers: &targets, Pinned: &pinned, LatencySLA: &sla, OtherRegions: &others,
	}
	err := f.ok()
	if err == nil {
		err = admin.Bounded(c)
	}
	return c, err
}

func (h *routeHandlers) createRoute(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change, err := routeChange(f)
	var made admin.Route
	if err == nil {
		made, err = r.service().Routes().Create(r.ctx(), r.who, change)
	}
	if err != nil {
		return h.routeList(r, f, err)
	}
	return r.done("/routes/"+url.PathEscape(made.ID), "The route is made, and in force.")
}

// routePage is what the page of one route shows.
type routePage struct {
	Route     admin.Route
	Tag       string
	Form      *Form
	Providers []Option
	Rows      []int
	Versions  list[routeVersion]
}

// routeVersion is a version and how it differs from the one before.
type routeVersion struct {
	admin.RouteVersion
	Current bool
	Diff    *diff // nil: the one before is not kept
}

func (h *routeHandlers) routePage(r *request, f *Form, refused error) error {
	route, err := r.service().Routes().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	if f == nil {
		f = routeForm(&route)
	}
	data := &routePage{Route: route, Tag: admin.Tag(route), Form: f, Providers: r.providerChoices(), Rows: targetRows(f)}
	if route.Source != "file" {
		versions, err := r.service().Routes().ListVersions(r.ctx(), r.who, route.ID, r.page())
		rows, err := collect(r, versions, err)
		if err != nil {
			return err
		}
		data.Versions = list[routeVersion]{After: rows.After, First: rows.First}
		for i, v := range rows.Rows {
			of := routeVersion{RouteVersion: v, Current: v.Version == route.Version}
			if i+1 < len(rows.Rows) {
				d := diffOf(routeText(&rows.Rows[i+1]), routeText(&v))
				of.Diff = &d
			}
			data.Versions.Rows = append(data.Versions.Rows, of)
		}
	}
	if refused != nil {
		return r.again("route", route.ModelPattern, data, f, refused)
	}
	return r.show("route", route.ModelPattern, data)
}

// routeForm is a form that holds a route.
func routeForm(route *admin.Route) *Form {
	f := newForm("model_pattern", route.ModelPattern, "strategy", route.Strategy, "pinned_model_version", route.Pinned)
	if route.LatencySLA > 0 {
		f.Values.Set("latency_sla_ms", strconv.FormatInt(route.LatencySLA, 10))
	}
	if route.OtherRegions {
		f.Values.Set("other_regions", "on")
	}
	for i, t := range route.Providers {
		f.Values.Set(targetField("provider", i), t.Provider)
		f.Values.Set(targetField("model_override", i), t.ModelOverride)
		f.Values.Set(targetField("region", i), t.Region)
		if t.Weight != nil {
			f.Values.Set(targetField("weight", i), strconv.Itoa(*t.Weight))
		}
	}
	return f
}

// routeText is a version as lines that can be compared.
func routeText(v *admin.RouteVersion) string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s: %v\n", name, value) }
	line("model pattern", v.ModelPattern)
	line("strategy", v.Strategy)
	for _, t := range v.Providers {
		weight := 1
		if t.Weight != nil {
			weight = *t.Weight
		}
		fmt.Fprintf(&b, "target: %s, weight %d, model %s, region %s\n", t.Provider, weight, cmp.Or(t.ModelOverride, "as asked for"), cmp.Or(t.Region, "any"))
	}
	line("pinned model version", cmp.Or(v.Pinned, "none"))
	line("latency limit", strconv.FormatInt(v.LatencySLA, 10)+" ms")
	line("other regions", v.OtherRegions)
	return b.String()
}

func (h *routeHandlers) updateRoute(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	change, err := routeChange(f)
	if err == nil {
		_, err = r.service().Routes().Update(r.ctx(), r.who, r.Param("id"), change, admin.Match(f.Values.Get("tag")))
	}
	if err != nil {
		return h.routePage(r, f, err)
	}
	return r.done("/routes/"+url.PathEscape(r.Param("id")), "The route is changed, as a new version.")
}

func (h *routeHandlers) rollbackRoute(r *request) error {
	f, err := r.form()
	if err != nil {
		return err
	}
	n := f.number("version")
	if err := f.ok(); err != nil {
		return h.routePage(r, nil, err)
	}
	route, err := r.service().Routes().Rollback(r.ctx(), r.who, r.Param("id"), n, admin.Match(f.Values.Get("tag")))
	if err != nil {
		return err
	}
	return r.done("/routes/"+url.PathEscape(route.ID), fmt.Sprintf("The route is as version %d was; this is version %d.", n, route.Version))
}
