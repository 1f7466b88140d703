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

// Status is the state of this process.
type Status struct {
	Status, Mode, Version string
	Uptime                time.Duration
	ConfigVersion         int64
	Region                string
	Warnings              []string // for the operator, about configuration, chain, plugins and records
	Plugins               []admin.Plugin
	PluginsDir            string
}

// staleAfter is the age at which a node counts as not seen. Nodes poll every second or two.
const staleAfter = 30 * time.Second

// fleetPage is the data of the page.
type fleetPage struct {
	Status  Status
	Version int64
	Nodes   []fleetNode
}

// fleetNode is a node and its state.
type fleetNode struct {
	admin.Node
	State string
}

func (h *fleetHandlers) mount(c *Console) {
	c.mountGet("/fleet", auth.FleetRead, func(r *request) error {
		nodes, version, err := r.service().Nodes().List(r.ctx(), r.who)
		if err != nil {
			return err
		}
		data := fleetPage{Version: version, Status: h.status()}
		for _, n := range nodes {
			state := "ok"
			switch {
			case h.now().Sub(n.SeenAt) > staleAfter:
				state = "not seen"
			case n.Version < version:
				state = "behind"
			}
			data.Nodes = append(data.Nodes, fleetNode{n, state})
		}
		return r.show("fleet", "Fleet", data)
	})
}
