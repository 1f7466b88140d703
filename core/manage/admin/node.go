package admin

import (
	"context"
	"time"

	"github.com/headgate-dev/headgate/core/auth"
)

// Node is a node of the fleet as the control plane knows it.
type Node struct {
	Name    string
	Version int64 // of the configuration at its last request
	SeenAt  time.Time
}

// List returns the nodes of the fleet by name, and the version of the configuration that they should have.
func (s Nodes) List(ctx context.Context, who *auth.Actor) (nodes []Node, version int64, err error) {
	if _, err := s.svc.authorize(ctx, who, auth.FleetRead, ""); err != nil {
		return nil, 0, err
	}
	if version, err = s.svc.Store.Config().ReadVersion(ctx); err != nil {
		return nil, 0, err
	}
	kept, err := s.svc.Store.Fleet().ListNodes(ctx)
	for _, n := range kept {
		nodes = append(nodes, Node(n))
	}
	return nodes, version, err
}
