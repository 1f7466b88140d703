package state

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Noticer tells other processes that something has changed. A notice may be lost: who
// must not miss a change asks for it now and then as well.
type Noticer interface {
	// Notify sends a notice on a topic.
	Notify(ctx context.Context, topic string) error
	// Notices calls hear for each notice on the topic until ctx ends, and once after
	// each time that some may have been missed.
	Notices(ctx context.Context, topic string, hear func())
}

var _ Noticer = (*Redis)(nil)

// Notify sends a notice to all that share the server.
func (r *Redis) Notify(ctx context.Context, topic string) error {
	return r.client.Publish(ctx, prefix+"n:"+topic, "1").Err()
}

// noticePause is how long a lost connection is left alone.
const noticePause = time.Second

// Notices listens on the server.
func (r *Redis) Notices(ctx context.Context, topic string, hear func()) {
	for ctx.Err() == nil {
		sub := r.client.Subscribe(ctx, prefix+"n:"+topic)
		stop := context.AfterFunc(ctx, func() { _ = sub.Close() }) // it waits for the server, not for ctx
		for {
			m, err := sub.Receive(ctx)
			if err != nil {
				break
			}
			switch m.(type) {
			case *redis.Subscription, *redis.Message:
				hear()
			}
		}
		stop()
		_ = sub.Close() // it is broken, or closed already
		select {
		case <-ctx.Done():
		case <-time.After(noticePause):
		}
	}
}
