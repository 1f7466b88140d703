package node

import (
	"context"
	"errors"
	"fmt"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/pins"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/providers/mcp/stdio"
)

// toolServers are the servers of the running gateway.
type toolServers struct{ g *gateway }

var _ admin.ToolServers = toolServers{}

// Servers returns the servers of the configuration in force.
func (t toolServers) Servers() tools.Servers {
	t.g.mu.Lock()
	defer t.g.mu.Unlock()
	return t.g.rt.Servers.List()
}

// FileServers returns the servers of the configuration file in force.
func (t toolServers) FileServers() []admin.MCPServerSettings {
	t.g.mu.Lock()
	defer t.g.mu.Unlock()
	return listFileServers(t.g.cfg)
}

// FileVirtualServers returns the virtual servers of the configuration file in force.
func (t toolServers) FileVirtualServers() []admin.VirtualServer {
	t.g.mu.Lock()
	defer t.g.mu.Unlock()
	return listFileVirtualServers(t.g.cfg)
}

// RefreshOffer asks a server for its tools, and writes what it offers.
func (t toolServers) RefreshOffer(ctx context.Context, s *tools.Server) error {
	offered, _, err := s.FetchTools(ctx)
	if err != nil || s.Pin == tools.PinOff {
		return err
	}
	for i := range offered {
		if offered[i].Digest == "" {
			continue
		}
		if err := t.g.pins.write(ctx, &offered[i]); err != nil {
			return err
		}
	}
	return nil
}

// offlineServers are the servers of a configuration and its database, for commands.
type offlineServers struct {
	cfg *config.Config
	db  *store.DB
	log *audit.Log
	rt  snapshot.Runtime
}

// openServers returns the servers of a configuration. The caller closes them.
func openServers(ctx context.Context, cfg *config.Config, r *Records) (*offlineServers, error) {
	o := &offlineServers{cfg: cfg, db: r.DB, log: r.audit}
	if err := buildServers(&o.rt, cfg, stdio.NewHost(nil)); err != nil {
		return nil, errors.Join(err, o.close())
	}
	var all []store.ToolPin
	for p, err := range o.db.ToolPins().ListAll(ctx) {
		if err != nil {
			return nil, errors.Join(err, o.close())
		}
		all = append(all, p)
	}
	view := tools.NewPins(nil)
	view.Load(all)
	o.rt.Servers.Adopt(nil, tools.Shared{Pins: view})
	stored, err := readStoredServers(ctx, r)
	if err != nil {
		return nil, errors.Join(err, o.close())
	}
	stored.serve(&o.rt, cfg, func(string, error) {}) // the log of the gateway says why one is left out
	return o, nil
}

func (o *offlineServers) close() error {
	var errs []error
	for _, c := range o.rt.Clients {
		errs = append(errs, c.Close())
	}
	for _, p := range o.rt.Processes {
		errs = append(errs, p.Close())
	}
	return errors.Join(errs...)
}

// Servers returns the servers.
func (o *offlineServers) Servers() tools.Servers { return o.rt.Servers.List() }

// FileServers returns the servers of the configuration file.
func (o *offlineServers) FileServers() []admin.MCPServerSettings { return listFileServers(o.cfg) }

// FileVirtualServers returns the virtual servers of the configuration file.
func (o *offlineServers) FileVirtualServers() []admin.VirtualServer {
	return listFileVirtualServers(o.cfg)
}

// RefreshOffer asks a server for its tools, and writes what it offers. A running gateway learns of it by the
// configuration version.
func (o *offlineServers) RefreshOffer(ctx context.Context, s *tools.Server) error {
	offered, _, err := s.FetchTools(ctx)
	if err != nil || s.Pin == tools.PinOff {
		return err
	}
	for i := range offered {
		if offered[i].Digest == "" {
			continue
		}
		now, drifted, err := o.db.ToolPins().Record(ctx, &offered[i])
		if errors.Is(err, pins.ErrFull) {
			return fmt.Errorf("server %s offers more than %d tools, and the others are not served: %w", s.Name, pins.MaxTools, err)
		}
		if err == nil && drifted {
			e := buildDriftEvent(&now)
			err = o.log.Append(ctx, audit.Event{Type: audit.ToolDrift, Payload: e.Bytes()})
		}
		if err != nil {
			return err
		}
	}
	return nil
}
