package state

import (
	"context"
	"time"

	"github.com/redis/go-redis/v9"
)

// Noticer notifies other processes of a change. Notices may be lost, so a process that must not miss a change also
// polls.
type Noticer interface {
	// Notify sends a notice on a topic.
	Notify(ctx context.Context, topic string) error
	// ReceiveNotices calls hear for each notice on the topic until ctx ends, and once after each interruption in which notices
	// may have been lost.
	ReceiveNotices(ctx context.Context, topic string, hear func())
}

var _ Noticer = (*Redis)(nil)

// Notify sends a notice to all processes that use the server.
func (r *Redis) Notify(ctx context.Context, topic string) error {
	return r.client.Publish(ctx, prefix+"n:"+topic, "1").Err()
}

// noticePause is the pause before reconnecting.
const noticePause = time.Second

// ReceiveNotices subscribes to the topic on the server.
func (r *Redis) ReceiveNotices(ctx context.Context, topic string, hear func()) {
	for ctx.Err() == nil {
		sub := r.client.Subscribe(ctx, prefix+"n:"+topic)
		stop := context.AfterFunc(ctx, func() { _ = sub.Close() }) // Receive waits for the server and ignores ctx
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
		_ = sub.Close() // broken or already closed
		select {
		case <-ctx.Done():
		case <-time.After(noticePause):
		}
	}
}
