package webhook

import (
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"
)

// New returns a stage for a link. It makes no calls.
func New(o Options) (*remote.Stage, error) {
	a, err := newAsker(o)
	if err != nil {
		return nil, err
	}
	return remote.New(o.buildRemoteOptions(), a), nil
}

func newAsker(o Options) (*asker, error) {
	u, err := o.check()
	if err != nil {
		return nil, err
	}
	c, err := remote.NewClient(remote.ClientOptions{
		Timeout: o.Timeout, Calls: o.Calls, AllowPrivate: o.AllowPrivate, CAFile: o.Settings.CAFile, Resolver: o.resolver,
	})
	if err != nil {
		return nil, err
	}
	if o.now == nil {
		o.now = time.Now
	}
	return &asker{o: o, url: u.String(), client: c}, nil
}
