// Package batch serves files and batches in OpenAI's public shape. A file of
// requests is checked and redacted line by line on its way to the provider, and
// results get their values back on their way to the client. Clients see the
// gateway's own ids, of their tenant alone.
//
// Its handlers are plain HTTP; core/gateway/proxy mounts them. It imports what lies below
// the proxy, and no provider.
package batch

import (
	"context"
	"net/http"
	"os"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/meter"
	"github.com/headgate-dev/headgate/core/records/store"
)

// Rules are what one call is governed by. They stay the same for the whole call.
type Rules struct {
	Keys     Authenticator
	Router   Router
	Models   ModelCheck // nil: every model that has a route may be named
	Redactor Redactor   // nil: nothing is redacted
	Restorer Restorer   // nil: nothing is restored
	// Backends are the providers that have batches, by their names in the
	// configuration.
	Backends map[string]core.BatchBackend
	// Release is called when the call is done with the rules. It may be nil.
	Release func()
}

// Authenticator finds who calls.
type Authenticator interface {
	Authenticate(h http.Header, now time.Time) (*core.Principal, *core.Error)
}

// Router finds where a model's requests go for a tenant in a region; "": no matter
// where.
type Router interface {
	Target(model, region string) (provider, target string, ok bool)
}

// ModelCheck is the BatchModelCheck hook: it is asked about each model that a
// file names, when the file is uploaded and when a batch of it is submitted. Its
// error refuses the file; the line is added to its text.
type ModelCheck interface {
	CheckModel(ctx context.Context, p *core.Principal, m Model) *core.Error
}

// Model is a model that a file names, where its requests go, and their shape.
type Model struct{ Name, Provider, Target, Shape string }

// Redactor takes what must not leave out of the texts in x.Request, which Scan
// has found. An error refuses the file.
type Redactor interface {
	Redact(ctx context.Context, x *core.Exchange) *core.Error
}

// Restorer puts values that p may have back into a line of JSON. It may return
// the line itself.
type Restorer interface {
	Restore(ctx context.Context, p *core.Principal, line []byte) []byte
}

// Options are what the service works with. Those without a default are needed.
type Options struct {
	Store *store.DB
	// Rules gives the rules in force.
	Rules func() Rules
	// Dialect gives the shape of a URL's requests, nil when it is not served.
	Dialect func(url string) core.Dialect
	// Audit appends an event to the audit log.
	Audit func(ctx context.Context, e audit.Event) error
	// Charge hears of what a batch has used, once, before it is booked, and may add to
	// the record what that costs. May be nil.
	Charge func(ctx context.Context, r *meter.Record)
	// Book appends what a batch has used, when it has ended. It is called again as long
	// as it answers that there is no room.
	Book func(ctx context.Context, r *meter.Record) error
	// Settle waits until what was recorded is on the disk: a file leaves with
	// placeholders that mean nothing without the values behind them. May be nil.
	Settle func(ctx context.Context) error
	// Served hears of every call after its answer. Lost hears of a record that
	// could not be written, and of what failed in the background. Panicked hears of
	// a fault of the gateway. All may be nil.
	Served   func(x *core.Exchange, latency time.Duration)
	Lost     func(what, id string, err error)
	Panicked func(id string, value any, stack []byte)

	TempDir  string        // where files lie while they are uploaded; "": the system's
	MaxFile  int64         // bytes of a file; default 200 MB
	MaxLine  int           // bytes of one line; default 32 MiB
	MaxLines int           // requests in a file; default 50,000
	Ask      time.Duration // how often a client's reads ask the provider about a batch; default 5 s
	Watch    time.Duration // how often batches are asked about without clients; default 1 min
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

// New starts a service. It looks after the batches that an earlier one left, and
// must be closed before its store and its audit log.
func New(o Options) *Service {
	o.fill()
	ctx, stop := context.WithCancel(context.Background())
	s := &Service{Options: o, stop: stop, wake: make(chan struct{}, 1)}
	s.done.Go(func() { s.watch(ctx) })
	return s
}

// Close ends what runs in the background.
func (s *Service) Close() {
	s.stop()
	s.done.Wait()
}

// Route is an endpoint. Its pattern is written as in net/http; "{id}" is read by
// Request.PathValue.
type Route struct {
	Method, Pattern string
	Handle          http.HandlerFunc
}

// Routes are the service's endpoints.
func (s *Service) Routes() []Route {
	route := func(method, pattern string, o operation) Route {
		return Route{method, pattern, func(w http.ResponseWriter, r *http.Request) { s.serve(w, r, o) }}
	}
	return []Route{
		route("POST", "/v1/files", operation{do: (*call).upload, starts: true, audited: true, name: filesName}),
		route("GET", "/v1/files", operation{do: (*call).listFiles, name: filesName}),
		route("GET", "/v1/files/{id}", operation{do: (*call).getFile, name: filesName}),
		route("GET", "/v1/files/{id}/content", operation{do: (*call).content, name: filesName}),
		route("DELETE", "/v1/files/{id}", operation{do: (*call).deleteFile, name: filesName}),
		route("POST", "/v1/batches", operation{do: (*call).submit, starts: true, audited: true, name: batchesName}),
		route("GET", "/v1/batches", operation{do: (*call).listBatches, name: batchesName}),
		route("GET", "/v1/batches/{id}", operation{do: (*call).getBatch, name: batchesName}),
		route("POST", "/v1/batches/{id}/cancel", operation{do: (*call).cancel, audited: true, name: batchesName}),
	}
}
