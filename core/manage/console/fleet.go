package console

import (
	"time"

	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/manage/admin"
)

// fleetHandlers serve the nodes of the fleet.
type fleetHandlers struct {
	now    func() time.Time
	status func() Status
}

// Status is how this process stands.
type Status struct {
	Status, Mode, Version string
	Uptime                time.Duration
	ConfigVersion         int64
	Region                string
	Warnings              []string // what an operator should look at, of the configuration, the chain, plugins and records
	Plugins               []admin.Plugin
	PluginsDir            string
}

// lateAfter is when a node counts as late: it asks every second or two.
const lateAfter = 30 * time.Second

// fleetPage is what the page of the fleet shows.
type fleetPage struct {
	Status  Status
	Version int64
	Nodes   []fleetNode
}

// fleetNode is a node and how it stands.
type fleetNode struct {
	admin.Node
	State string
}

// fleet mounts the status of the fleet.
func (h *fleetHandlers) mount(c *Console) {
	c.get("/fleet", auth.FleetRead, func(r *request) error {
		nodes, version, err := r.service().Nodes().List(r.ctx(), r.who)
		if err != nil {
			return err
		}
		data := fleetPage{Version: version, Status: h.status()}
		for _, n := range nodes {
			state := "ok"
			switch {
			case h.now().Sub(n.SeenAt) > lateAfter:
				state = "not heard of"
			case n.Version < version:
				state = "behind"
			}
			data.Nodes = append(data.Nodes, fleetNode{n, state})
		}
		return r.show("fleet", "Fleet", data)
	})
}
