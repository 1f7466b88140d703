package node

import (
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/gateway/route"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/plugins/webhook"
)

// offlinePlane is the plane of a command. A running gateway detects the new version without it.
type offlinePlane struct {
	admin.Plane
	cfg *config.Config
}

func (offlinePlane) ApplyChanges() {}

func (n offlinePlane) Routes() []admin.Route {
	out := make([]admin.Route, len(n.cfg.Routes))
	for i := range n.cfg.Routes {
		out[i] = convertFileRoute(&n.cfg.Routes[i])
	}
	return out
}

func (n offlinePlane) CheckRoute(r route.Route) error {
	names := make(map[string][]string, len(n.cfg.Providers))
	for name := range n.cfg.Providers {
		names[name] = nil
	}
	all, err := route.New(nil, names)
	if err != nil {
		return err
	}
	return all.Check(r)
}

// urlChecker checks the addresses of subscribers and plugins for a command, which does not call them.
type urlChecker struct {
	admin.Subscribers
	sender *webhook.Sender
}

func (u urlChecker) CheckURL(url string) error { return u.sender.CheckURL(url) }

func (urlChecker) Wake() {}
