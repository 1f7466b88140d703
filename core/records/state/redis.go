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

// Default timeouts of one command. A guard that cannot count must fail before clients lose patience.
const (
	dialTimeout    = 2 * time.Second
	commandTimeout = time.Second
	// connections is the minimum pool size; a command occupies one connection for a round trip.
	connections = 64
	// upkeepConnections is one for renewals and one for settlements.
	upkeepConnections = 2
)

// Redis stores state in a Redis server. Gateways that use the same server share the state. The server's clock drives
// all counters.
type Redis struct {
	client *redis.Client
	// upkeep sends renewals and settlements that failed before. They do not wait for a connection behind the commands of
	// exchanges, nor for the circuit to close: a late renewal gives away room that is in use.
	upkeep *redis.Client
	// name distinguishes this process's holds from others'.
	name string
	last atomic.Uint64
	skew time.Duration // added to the server's clock; set by tests
	held holds
	owed debts
	stop context.CancelFunc
	work sync.WaitGroup
}

var _ core.State = (*Redis)(nil)

// OpenRedis opens a URL redis://[user:password@]host:port/number, or rediss:// for TLS, and pings the server. lost
// receives settlements that failed and will not be retried. lost is optional.
func OpenRedis(ctx context.Context, address string, lost func(error)) (*Redis, error) {
	o, err := redis.ParseURL(address)
	if err != nil {
		return nil, fmt.Errorf("state.url: %w", hideURL(err))
	}
	given, _ := url.Parse(address)
	if q := given.Query(); true {
		o.MaxRetries = -1 // a retry could count twice
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
	logging.Disable() // the client logs to standard error, but it also returns every failure
	var name [8]byte
	_, _ = rand.Read(name[:]) // rand.Read never fails
	own := *o                 // NewClient keeps and completes its options
	own.PoolSize, own.MinIdleConns, own.MaxIdleConns, own.MaxActiveConns = upkeepConnections, 0, 0, 0
	r := &Redis{client: redis.NewClient(o), upkeep: redis.NewClient(&own), name: hex.EncodeToString(name[:])}
	r.client.AddHook(newBreaker())
	if err := r.client.Ping(ctx).Err(); err != nil {
		_ = r.closeClients()
		return nil, fmt.Errorf("state.url: the Redis server does not answer: %w", err)
	}
	if lost == nil {
		lost = func(error) {}
	}
	r.held.init()
	work, stop := context.WithCancel(context.WithoutCancel(ctx))
	r.stop = stop
	r.work.Go(func() { r.renewHolds(work) })
	r.work.Go(func() { r.retrySettlements(work, lost) })
	return r, nil
}

// hideURL returns the reason why a URL is invalid without the URL itself, which may hold a password.
func hideURL(err error) error {
	text := err.Error()
	if i := strings.LastIndex(text, ": "); i >= 0 && strings.Contains(text, "://") {
		text = text[i+2:]
	}
	return fmt.Errorf("not the URL of a Redis server: %s; write redis://host:6379/0", text)
}

// Close tries to settle outstanding debts, and closes the connections.
func (r *Redis) Close(ctx context.Context) error {
	r.stop()
	r.work.Wait()
	err := r.settleDebts(ctx)
	if e := r.closeClients(); err == nil {
		err = e
	}
	return err
}

func (r *Redis) closeClients() error { return errors.Join(r.client.Close(), r.upkeep.Close()) }

// prefix starts all keys on the server.
const prefix = "headgate:"

// Get returns a value; see core.Values.
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

// Set stores a value; see core.Values.
func (r *Redis) Set(ctx context.Context, key string, value []byte, ttl time.Duration) error {
	if ttl <= 0 {
		return errTTL
	}
	if err := r.client.Set(ctx, prefix+"v:"+key, value, max(ttl, time.Millisecond)).Err(); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	return nil
}

// Delete removes a value; see core.Values.
func (r *Redis) Delete(ctx context.Context, key string) error {
	if err := r.client.Del(ctx, prefix+"v:"+key).Err(); err != nil {
		return fmt.Errorf("redis: %w", err)
	}
	return nil
}
