package console

import (
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// latencyHandlers serve latency and priority.
type latencyHandlers struct{}

// latencyPage is the data of the page.
type latencyPage struct {
	Licensed bool
	Records  []route.LatencyRecord
	Priority *route.PriorityStats // nil if the reader has no permission to see it
	Tiers    []string
}

func (h *latencyHandlers) mount(c *Console) {
	c.mountGet("/latency", auth.LatencyRead, func(r *request) error {
		data := latencyPage{Licensed: r.isLicensed(admin.FeatureLatency), Tiers: []string{"premium", "standard", "bulk"}}
		found, err := r.service().Providers().ListLatencies(r.ctx(), r.who, admin.Page{Limit: maxChoices})
		if data.Records, err = readAll(found, err, maxChoices); err != nil {
			return err
		}
		if r.who.Can(auth.PriorityRead) {
			p, err := r.service().Providers().CountByTier(r.ctx(), r.who)
			if err != nil {
				return err
			}
			data.Priority = &p
		}
		return r.show("latency", "Latency and priority", data)
	})
}
