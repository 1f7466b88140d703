package console

import (
	"net/url"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// routePages serves routes.
type routePages struct {
	*resource[admin.Route]
	plan      func(model, region string) (targets []core.TargetRef, known bool)
	providers func() []Provider
}

// newRoutePages declares the pages of routes.
func newRoutePages(o *Options) *routePages {
	h := &routePages{plan: o.Plan, providers: o.Providers}
	h.resource = &resource[admin.Route]{
		path: "/routes", param: "id", title: "Routes", read: auth.RoutesRead, write: auth.RoutesWrite,
		intro: "A route sends the models that match its pattern to providers. If several routes match, the most specific one applies.",
		empty: "There are no routes yet, so no model can be called. Create one below for a provider of the configuration file.",
		columns: []column[admin.Route]{
			{"Models", "", func(_ *request, v admin.Route) part {
				return part{"link", link{Path: buildRoutePath(v.ID), Text: v.ModelPattern, Code: true}}
			}},
			{"Providers", "", func(_ *request, v admin.Route) part { return part{"route-providers", v.Providers} }},
			{"Strategy", "", func(_ *request, v admin.Route) part { return newTextPart(v.Strategy) }},
			{"Version", "num", func(_ *request, v admin.Route) part { return newTextPart(formatCount(v.Version)) }},
			{"Source", "", func(_ *request, v admin.Route) part { return newSourcePart(v.Source) }},
		},
		list: func(r *request) (list[admin.Route], error) {
			routes, err := r.service().Routes().List(r.ctx(), r.who, r.readWindow())
			return readPage(r, routes, err)
		},
		head: h.addLookup,
		form: func(r *request) (part, error) {
			v := formView{ID: "new", Heading: "New route", Action: "/routes", Button: "Create route"}
			return h.newFormWithTargets(r, v, newForm("strategy", "model-prefix")), nil
		},
		create: func(r *request, f *Form) error {
			change, err := readRouteChange(f)
			if err != nil {
				return err
			}
			created, err := r.service().Routes().Create(r.ctx(), r.who, change)
			if err != nil {
				return err
			}
			return r.redirectWithNotice(buildRoutePath(created.ID), "Route created. It applies at once.")
		},
		page: h.show,
		update: func(r *request, id string, f *Form) error {
			change, err := readRouteChange(f)
			if err != nil {
				return err
			}
			_, err = r.service().Routes().Update(r.ctx(), r.who, id, change, f.readTag())
			return r.finish(err, buildRoutePath(id), "Route saved as a new version.")
		},
		remove: func(r *request, id string) error { return r.service().Routes().Delete(r.ctx(), r.who, id, "") },
		told:   "Route deleted, with its versions.",
	}
	return h
}

func (h *routePages) mount(c *Console) {
	h.resource.mount(c)
	c.mountPost("/routes/:id/rollback", auth.RoutesWrite, handleForm(h.rollback, nil))
}

func buildRoutePath(id string) string { return "/routes/" + url.PathEscape(id) }

// lookup is the result of looking up the targets of a model.
type lookup struct {
	Fields  []Field
	Model   string // empty if none was looked up
	Targets []core.TargetRef
	Known   bool
}

// addLookup adds a form that shows which providers serve a model.
func (h *routePages) addLookup(r *request, p *listPage) error {
	f := r.readQueryForm()
	v := lookup{Model: f.readText("model")}
	v.Fields = drawFields(f, []field{
		newInput("model", "Model", "required", "mono", "id=try-model", "placeholder=gpt-4o-mini"), newInput("region", "Workspace region",
			"id=try-region"),
	})
	if h.plan == nil {
		v.Model = ""
	}
	if v.Model != "" {
		v.Targets, v.Known = h.plan(v.Model, f.readText("region"))
	}
	p.After = append(p.After, part{"route-lookup", v})
	return nil
}

// newFormWithTargets draws a form with the fields of a route.
func (h *routePages) newFormWithTargets(r *request, v formView, initial *Form) part {
	r.fillForm(&v, initial,
		newInput("model_pattern", "Models", "required", "mono", "placeholder=gpt-*", "hint=A name, or a pattern: * matches anything."),
		newChoice("strategy", "Strategy", newOptions("model-prefix", "In order", "round-robin", "Round robin", "weighted", "By weight"),
			"hint=Which provider is tried first."),
		newInput("latency_sla_ms", "Latency limit, ms", "mono", "hint=The cheapest provider within this limit is tried first. If empty: off."),
		newInput("pinned_model_version", "Pinned model version", "mono", "hint=Sent instead of the client's name."),
		newCheckbox("other_regions", "Other regions may be used after the workspace's own"))
	providers := newOptions("", "–")
	for _, p := range h.providers() {
		providers = append(providers, Option{Value: p.Name, Label: p.Name})
	}
	var targets [][]Field
	for i := range countTargetRows(v.Form) {
		targets = append(targets, drawFields(v.Form, []field{
			newChoice(nameTargetField("provider", i), "Provider", providers),
			newInput(nameTargetField("weight", i), "Weight", "mono", "placeholder=1"),
			newInput(nameTargetField("model_override", i), "Model override", "mono"),
			newInput(nameTargetField("region", i), "Region"),
		}))
	}
	v.Extra = part{"route-targets", targets}
	return part{"form", v}
}

// spareTargetRows is how many empty targets a form offers.
const spareTargetRows = 2

// countTargetRows returns how many targets a form offers: the existing ones and some spare rows.
func countTargetRows(f *Form) int {
	n := spareTargetRows
	for i := 0; f.readText(nameTargetField("provider", i)) != "" && i < maxTargets; i++ {
		n++
	}
	return min(n, maxTargets)
}

const maxTargets = 64

func nameTargetField(name string, i int) string { return name + "-" + strconv.Itoa(i) }

// readRouteChange reads the fields of a route from a form.
func readRouteChange(f *Form) (admin.RouteChange, error) {
	sla, others, pinned := f.readNumber("latency_sla_ms"), f.isChecked("other_regions"), f.readText("pinned_model_version")
	targets := []admin.RouteTarget{}
	for i := range maxTargets {
		t := admin.RouteTarget{
			Provider: f.readText(nameTargetField("provider", i)), ModelOverride: f.readText(nameTargetField("model_override",
				i)), Region: f.readText(nameTargetField("region", i)),
		}
		if t.Provider == "" {
			continue
		}
		weight := 1
		if f.readText(nameTargetField("weight", i)) != "" {
			weight = int(f.readNumber(nameTargetField("weight", i)))
		}
		t.Weight = &weight
		targets = append(targets, t)
	}
	if len(targets) == 0 {
		f.addError(nameTargetField("provider", 0), "Choose a provider.")
	}
	c := admin.RouteChange{
		ModelPattern: f.readOptionalText("model_pattern"), Strategy: f.readOptionalText("strategy"), Providers: &targets,
		Pinned: &pinned, LatencySLA: &sla,
		OtherRegions: &others,
	}
	return checkChange(f, c)
}

// show answers with the page of a route and its versions.
func (h *routePages) show(r *request) error {
	route, err := r.service().Routes().Get(r.ctx(), r.who, r.Param("id"))
	if err != nil {
		return err
	}
	p := &recordPage{Crumbs: []link{{Path: "/routes", Text: h.title}}}
	p.add(part{"route-table", route.Providers}, part{"facts", listRouteFacts(&route)})
	if route.Source == "file" {
		p.add(newHintPart("This route is defined in the configuration file. Change it there."))
		return r.show("record", route.ModelPattern, p)
	}
	if r.who.Can(h.write) {
		v := formView{Heading: "Settings", Action: buildRoutePath(route.ID), Button: "Save as new version", Tag: admin.ComputeTag(route)}
		p.add(h.newFormWithTargets(r, v, newRouteForm(&route)),
			h.newDeletion(route.ID, "Delete route…", "Calls to models that only this route serves are refused from then on. Its versions are "+
				"deleted too.", "Delete this route"))
	}
	versions, err := readRouteVersions(r, &route)
	if err != nil {
		return err
	}
	p.add(part{"heading", "Versions"}, part{"table", newTable(r, h.listVersionColumns(&route), versions, nil, "")})
	return r.show("record", route.ModelPattern, p)
}

func listRouteFacts(route *admin.Route) []fact {
	limit, regions := "none", "not allowed"
	if route.LatencySLA > 0 {
		limit = formatMillis(route.LatencySLA)
	}
	if route.OtherRegions {
		regions = "allowed"
	}
	return []fact{
		{"Strategy", newTextPart(route.Strategy)},
		{"Pinned model version", newTextPart(dashIfEmpty(route.Pinned))},
		{"Latency limit", newTextPart(limit)},
		{"Other regions", newTextPart(regions)},
		{"Version", newTextPart(formatCount(route.Version))},
	}
}

// newRouteForm returns a form with the fields of a route.
func newRouteForm(route *admin.Route) *Form {
	f := newForm("model_pattern", route.ModelPattern, "strategy", route.Strategy, "pinned_model_version", route.Pinned)
	if route.LatencySLA > 0 {
		f.Values.Set("latency_sla_ms", strconv.FormatInt(route.LatencySLA, 10))
	}
	if route.OtherRegions {
		f.Values.Set("other_regions", "on")
	}
	for i, t := range route.Providers {
		f.Values.Set(nameTargetField("provider", i), t.Provider)
		f.Values.Set(nameTargetField("model_override", i), t.ModelOverride)
		f.Values.Set(nameTargetField("region", i), t.Region)
		if t.Weight != nil {
			f.Values.Set(nameTargetField("weight", i), strconv.Itoa(*t.Weight))
		}
	}
	return f
}
