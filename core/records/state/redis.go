package state

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"net/url"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/redis/go-redis/v9"
	"github.com/redis/go-redis/v9/logging"

	"github.com/headgate-dev/headgate/core"
)

// Limits of one command, unless the URL says otherwise: a guard that cannot count
// must say so before clients lose patience.
const (
	dialTimeout    = 2 * time.Second
	commandTimeout = time.Second
	// connections is the least size of the pool: a command takes one for a round
	// trip.
	connections = 64
)

// Redis keeps state in a Redis server. Gateways that share the server share the
// state; its clock is that of all counters.
type Redis struct {
	client *redis.Client
	// name tells this process's holds from those of others.
	name string
	last atomic.Uint64
	skew time.Duration // added to the server's clock; tests move it
	held holds
	owed debts
	stop context.CancelFunc
	work sync.WaitGroup
}

var _ core.State = (*Redis)(nil)

// OpenRedis opens a URL redis://[user:password@]host:port/number, or rediss:// for
// TLS, and asks the server for a sign of life. lost is told of settlements that
// could not be made and will not be tried again; it may be nil.
func OpenRedis(ctx context.Context, address string, lost func(error)) (*Redis, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("state.url: %w", hideURL(err))
	}
	given, _ := url.Parse(address)
	if q := given.Query(); true {
		o.MaxRetries = -1 // what may have been counted is not counted again
		o.ContextTimeoutEnabled = true
		if !q.Has("dial_timeout") {
			o.DialTimeout = dialTimeout
		}
		if !q.Has("read_timeout") {
			o.ReadTimeout = commandTimeout
		}
		if !q.Has("write_timeout") {
			o.WriteTimeout = commandTimeout
		}
		if !q.Has("pool_size") {
			o.PoolSize = max(connections, o.PoolSize)
		}
	}
	logging.Disable() // it writes to standard error by itself; every failure is returned too
	var name [8]byte
	_, _ = rand.Read(name[:]) // it never fails
	r := &Redis{client: redis.NewClient(o), name: hex.EncodeToString(name[:])}
	r.client.AddHook(newBreaker())
	if err := r.client.Ping(ctx).Err(); err != nil {
		_ = r.client.Close()
		return nil, fmt.Errorf("state.url: the Redis server does not answer: %w", err)
	}
	if lost == nil {
		lost = func(error) {}
	}
	r.held.init()
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.work.Go(func() { r.renew(work) })
	r.work.Go(func() { r.repay(work, lost) })
	return r, nil
}

// hideURL gives the reason why a URL cannot be read, without the URL: it may hold a
// password.
func hideURL(err error) error {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 && strings.Contains(text, "://") {
		text = text[i+2:]
	}
	return fmt.Errorf("it is not the URL of a Redis server: %s; write redis://host:6379/0", text)
}

// Close settles what is owed, as far as the server takes it, and closes the
// connections.
func (r *Redis) Close(ctx context.Context) error {
	r.stop()
	r.work.Wait()
	err := r.settleDebts(ctx)
	if e := r.client.Close(); err == nil {
		err = e
	}
	return err
}

// prefix begins all keys on the server.
const prefix = "headgate:"

// Get gives a value; see core.Values.
func (r *Redis) Get(ctx context.Context, key string) ([]byte, bool, error) {
	b, err := r.client.Get(ctx, prefix+"v:"+key).Bytes()
	if errors.Is(err, redis.Nil) {
		return nil, false, nil
	}
	if err != nil {
		return nil, false, fmt.Errorf("redis: %w", err)
	}
	return b, true, nil
}

// Set keeps a value; see core.Values.
func (r *Redis) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	if ttl <= 0 {
		return errTTL
	}
	if err := r.client.Set(ctx, prefix+"v:"+key, value, max(ttl, time.Millisecond)).Err(); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	return nil
}

// Delete forgets a value; see core.Values.
func (r *Redis) Delete(ctx context.Context, key string) error {
	if err := r.client.Del(ctx, prefix+"v:"+key).Err(); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	return nil
}
