// Package batch serves files and batches in OpenAI's public shape. A file of requests is checked and redacted line by
// line on its way to the provider, and results are restored on their way to the client. Clients see only the gateway's
// ids, and only those of their tenant.
//
// Its handlers are plain HTTP; core/gateway/proxy mounts them. It imports packages below the proxy, and no provider.
package batch

import (
	"context"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Rules govern one call. They stay the same for the whole call.
type Rules struct {
	Keys     Authenticator
	Router   Router
	Models   ModelCheck // optional: without it, any model with a route is allowed
	Redactor Redactor   // optional: without it, nothing is redacted
	Restorer Restorer   // optional: without it, nothing is restored
	// JudgedFiles refuses files that no guard can judge.
	JudgedFiles bool
	// Guard judges lines and results. Optional: without it, lines are only redacted, and results restored.
	Guard *Guard
	// Backends are the providers with a batch service, by their names in the configuration.
	Backends map[string]backend.Backend
	// LimitField returns the name of the token limit that a model takes. Optional.
	LimitField func(provider, model string) string
	// Release is called when the call no longer needs the rules. Optional.
	Release func()
}

// Authenticator authenticates callers.
type Authenticator interface {
	Authenticate(r *http.Request, now time.Time) (*core.Principal, *core.Error)
}

// Router finds the target of a model for a tenant in a region; "" for any region. chosen is set if a link chose the model:
// then it reaches providers that clients cannot reach.
type Router interface {
	FindTarget(model, region string, chosen bool) (provider, target string, ok bool)
}

// ModelCheck is called for each model that a file names, when the file is uploaded and
// when a batch of it is submitted. Its error refuses the file; the line number is added to its text.
type ModelCheck interface {
	CheckModel(ctx context.Context, p *core.Principal, m Model) *core.Error
}

// Model is a model in a file, its target, and the dialect of its requests.
type Model struct{ Name, Provider, Target, Shape string }

// Redactor redacts the texts in x.Request, which Scan has found. An error refuses the file.
type Redactor interface {
	Redact(ctx context.Context, x *core.Exchange) *core.Error
}

// Restorer restores the values that p may see in a line of JSON. It may return the line itself.
type Restorer interface {
	Restore(ctx context.Context, p *core.Principal, line []byte) []byte
}

// Options configure the service. Those without a default are required.
type Options struct {
	Store *store.DB
	// Rules returns the rules in force.
	Rules func() Rules
	// Dialect returns the dialect of a URL's requests, or nil if the URL is not served.
	Dialect func(url string) core.Dialect
	// Audit appends an event to the audit log.
	Audit func(ctx context.Context, e audit.Event) error
	// Charge adds the cost to the usage record of a batch, once, before it is booked. Optional.
	Charge func(ctx context.Context, r *meter.Record)
	// Book appends the usage record of an ended batch. It is called again while the queue is full.
	Book func(ctx context.Context, r *meter.Record) error
	// Settle waits until the records are durable: a file must not leave with placeholders whose values could be lost.
	// Optional.
	Settle func(ctx context.Context) error
	// Served is called after each call. Lost is called for a record that could not be written, and for background
	// failures. Panicked is called after a panic. All are optional.
	Served   func(x *core.Exchange, latency time.Duration)
	Lost     func(what, id string, err error)
	Panicked func(id string, value any, stack []byte)

	TempDir  string        // folder for files during their upload; the default is the system's
	MaxFile  int64         // bytes of a file; default 200 MB
	MaxLine  int           // bytes of one line; default 32 MiB
	MaxLines int           // requests in a file; default 50,000
	Ask      time.Duration // shortest time between two status requests to the provider for polling clients; default 5 s
	Watch    time.Duration // time between polls of batches without clients; default 1 min
	Clock    func() time.Time
}

func (o *Options) fill() {
	if o.TempDir == "" {
		o.TempDir = os.TempDir()
	}
	if o.MaxFile <= 0 {
		o.MaxFile = 200_000_000
	}
	if o.MaxLine <= 0 {
		o.MaxLine = 32 << 20
	}
	if o.MaxLines <= 0 {
		o.MaxLines = 50_000
	}
	if o.Ask <= 0 {
		o.Ask = 5 * time.Second
	}
	if o.Watch <= 0 {
		o.Watch = time.Minute
	}
	if o.Clock == nil {
		o.Clock = time.Now
	}
	if o.Served == nil {
		o.Served = func(*core.Exchange, time.Duration) {}
	}
	if o.Lost == nil {
		o.Lost = func(string, string, error) {}
	}
	if o.Panicked == nil {
		o.Panicked = func(string, any, []byte) {}
	}
}

// Service serves files and batches.
type Service struct {
	Options
	stop context.CancelFunc
	wake chan struct{}
	done sync.WaitGroup
}

// New starts a service. It takes over the batches of an earlier one. Close it before its store and its audit log.
func New(o Options) *Service {
	o.fill()
	ctx, stop := context.WithCancel(context.Background())
	s := &Service{Options: o, stop: stop, wake: make(chan struct{}, 1)}
	s.done.Go(func() { s.watch(ctx) })
	return s
}

// Close stops the background work.
func (s *Service) Close() {
	s.stop()
	s.done.Wait()
}

// Route is an endpoint. Its pattern is that of net/http; handlers read "{id}" with Request.PathValue.
type Route struct {
	Method, Pattern string
	Handle          http.HandlerFunc
}

// Routes returns the service's endpoints.
func (s *Service) Routes() []Route {
	route := func(method, pattern string, o operation) Route {
		return Route{method, pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, o) }}
	}
	return []Route{
		route("POST", "/v1/files", operation{do: (*call).createFile, starts: true, audited: true, name: filesName}),
		route("GET", "/v1/files", operation{do: (*call).listFiles, name: filesName}),
		route("GET", "/v1/files/{id}", operation{do: (*call).getFile, name: filesName}),
		route("GET", "/v1/files/{id}/content", operation{do: (*call).sendContent, name: filesName}),
		route("DELETE", "/v1/files/{id}", operation{do: (*call).deleteFile, name: filesName}),
		route("POST", "/v1/batches", operation{do: (*call).createBatch, starts: true, audited: true, name: batchesName}),
		route("GET", "/v1/batches", operation{do: (*call).listBatches, name: batchesName}),
		route("GET", "/v1/batches/{id}", operation{do: (*call).getBatch, name: batchesName}),
		route("POST", "/v1/batches/{id}/cancel", operation{do: (*call).cancelBatch, audited: true, name: batchesName}),
	}
}
