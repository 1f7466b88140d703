package console

import (
	"cmp"
	"fmt"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// routeVersion is a version of a route and its difference from the previous one.
type routeVersion struct {
	admin.RouteVersion
	Current bool
	Diff    *diff // nil if the previous one is no longer stored
}

// listVersionColumns returns the columns of the versions of a route.
func (h *routePages) listVersionColumns(route *admin.Route) []column[routeVersion] {
	return []column[routeVersion]{
		{"Version", "", func(_ *request, v routeVersion) part {
			if v.Current {
				return newTextPart(formatCount(v.Version) + " (current)")
			}
			return newTextPart(formatCount(v.Version))
		}},
		{"Created", "", func(_ *request, v routeVersion) part { return newTimePart(v.CreatedAt) }},
		{"Changes", "", func(_ *request, v routeVersion) part { return part{"route-diff", v.Diff} }},
		newActionsColumn("Actions", func(r *request, v routeVersion) part {
			if v.Current || !r.who.Can(h.write) {
				return newTextPart("")
			}
			n := formatCount(v.Version)
			return newConfirmPart(confirmation{
				Opens: "Roll back…", Class: "small", Says: "This creates a new version that is a copy of version " + n + ".",
				Action: buildRoutePath(route.ID) + "/rollback", Button: "Roll back to " + n,
				Hidden: [][2]string{{"tag", admin.ComputeTag(*route)}, {"version", strconv.FormatInt(v.Version, 10)}},
			})
		}),
	}
}

// readRouteVersions reads the versions of a route, each with its difference from the previous one.
func readRouteVersions(r *request, route *admin.Route) (list[routeVersion], error) {
	versions, err := r.service().Routes().ListVersions(r.ctx(), r.who, route.ID, r.readWindow())
	rows, err := readPage(r, versions, err)
	out := list[routeVersion]{After: rows.After, First: rows.First}
	for i, v := range rows.Rows {
		of := routeVersion{RouteVersion: v, Current: v.Version == route.Version}
		if i+1 < len(rows.Rows) {
			d := diffTexts(formatRouteVersion(&rows.Rows[i+1]), formatRouteVersion(&v))
			of.Diff = &d
		}
		out.Rows = append(out.Rows, of)
	}
	return out, err
}

// formatRouteVersion returns a version as lines for a comparison.
func formatRouteVersion(v *admin.RouteVersion) string {
	var b strings.Builder
	line := func(name string, value any) { fmt.Fprintf(&b, "%s: %v\n", name, value) }
	line("model pattern", v.ModelPattern)
	line("strategy", v.Strategy)
	for _, t := range v.Providers {
		weight := 1
		if t.Weight != nil {
			weight = *t.Weight
		}
		fmt.Fprintf(&b, "target: %s, weight %d, model %s, region %s\n", t.Provider, weight, cmp.Or(t.ModelOverride, "as asked for"),
			cmp.Or(t.Region, "any"))
	}
	line("pinned model version", cmp.Or(v.Pinned, "none"))
	line("latency limit", strconv.FormatInt(v.LatencySLA, 10)+" ms")
	line("other regions", v.OtherRegions)
	return b.String()
}

func (h *routePages) rollback(r *request, f *Form) error {
	n := f.readNumber("version")
	if err := f.reportErrors(); err != nil {
		return &core.Error{Kind: core.InvalidRequest, Code: core.CodeInvalidValue, Public: "The version must be a number.", Err: err}
	}
	route, err := r.service().Routes().Rollback(r.ctx(), r.who, r.Param("id"), n, f.readTag())
	if err != nil {
		return err
	}
	return r.redirectWithNotice(buildRoutePath(route.ID), fmt.Sprintf("Version %d restored as version %d.", n, route.Version))
}
