package proxy

import (
	"net/http"
	"sync"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/gateway/downstream"
	"github.com/headgate-dev/headgate/core/gateway/recent"
	"github.com/headgate-dev/headgate/core/gateway/shadow"
	"github.com/headgate-dev/headgate/core/gateway/snapshot"
	"github.com/headgate-dev/headgate/core/gateway/socket"
	"github.com/headgate-dev/headgate/core/gateway/tools/offered"
	"github.com/headgate-dev/headgate/core/recall"
	"github.com/headgate-dev/headgate/core/records/audit"
	"github.com/headgate-dev/headgate/core/records/capture"
	"github.com/headgate-dev/headgate/core/telemetry"
)

// Options configure the data plane. Everything is required unless marked optional.
type Options struct {
	Snapshots *snapshot.Holder
	Audit     *audit.Log
	Telemetry *telemetry.Telemetry
	Started   time.Time
	Auth      *auth.Authenticator // optional; by default failed logins are not counted
	Capture   *capture.Recorder   // optional: nothing is captured
	// Ended is called after each exchange of a known caller. It must not block or retain x. Optional.
	Ended func(x *core.Exchange)
	// Recent keeps a summary of the newest exchanges. Optional.
	Recent *recent.Ring
	// Shadow counts what links in shadow mode would have done. Optional.
	Shadow *shadow.Log
	// Offers remembers which tools models were offered, and which they have called. Optional.
	Offers *offered.Memory
	// Answers counts the memory of large answers. Optional.
	Answers *AnswerMemory
	// SocketLimits bound WebSockets. By default WebSockets are off.
	SocketLimits socket.Limits
}

// Proxy serves the data plane.
type Proxy struct {
	Options
	calls       sync.Pool
	sockets     *socket.Sockets
	listeners   listeners     // streams of servers of tools
	subscribed  subscriptions // of legacy sessions with them
	keepAlive   time.Duration // see keepAliveAfter
	listenCheck time.Duration // see there
}

// New returns a proxy.
func New(o Options) *Proxy {
	p := &Proxy{Options: o, keepAlive: keepAliveAfter, listenCheck: listenCheck}
	if p.Auth == nil {
		p.Auth = auth.NewAuthenticator(nil, nil)
	}
	if p.Answers == nil {
		p.Answers = &AnswerMemory{}
	}
	p.sockets = p.newSockets()
	p.calls.New = func() any {
		c := &call{proxy: p}
		c.attempts.call, c.answer.call, c.bill.call, c.records.call = c, c, c, c
		return c
	}
	return p
}

// serve carries one exchange through the gateway.
func (p *Proxy) serve(w gin.ResponseWriter, r *http.Request, in *inlet) {
	c := p.acquireCall(w, r, in)
	torn := false
	defer func() { abortConnection(torn) }()
	defer c.finish()
	if err := c.handle(c.hangup.NewContext(r.Context()), in); err != nil {
		c.refuse(err)
	}
	torn = c.state.torn
}

// inlet is what the endpoint determines before the body is read.
type inlet struct {
	shape  core.Dialect
	scopes []string
	model  string      // from the path
	stream bool        // the path asks for a stream
	array  bool        // the stream is sent as one JSON array
	editor bool        // the body determines the dialect; see chooseEditorBody
	grant  *Grant      // nil if a key authenticates the caller
	line   socket.Line // of a Realtime session; nil if the exchange is for a provider over HTTP
	peer   peerCall    // a message to a server of tools or to an agent; nil if the exchange is for a model
	// findCaller finds the caller of an exchange that its peer has started. Optional.
	findCaller func() *core.Error
	// refused is why the exchange is refused once its caller is known. Optional.
	refused *core.Error
}

// call is the state of one exchange. Its parts reach the call, and each other, through it. Calls are pooled.
type call struct {
	proxy *Proxy
	w     gin.ResponseWriter
	r     *http.Request
	d     core.Dialect
	snap  *snapshot.Snapshot
	chain *chain.Chain // of the snapshot, or built from it for the playground
	x     core.Exchange
	state state

	attempts attempts // calls to providers
	answer   answer   // what a provider or a stage has answered
	bill     bill     // usage and cost of all attempts
	records  records  // for the audit log and the meter

	body    []byte            // as received from the client
	out     []byte            // for the client
	values  []string          // of the answer's header
	targets [4]core.TargetRef // backing array of a plan
	prompt  int               // index of the prompt that is being asked
	asArray bool              // a stream is sent as one JSON array
	// stripped names the hosted tools that were removed from the request.
	stripped string
	effort   string             // from the model's name, as the editor client spells it
	slot     func()             // releases the tier's slot; nil if none is held
	scans    recall.Scans       // what scans of requests have found
	kept     *capture.Draft     // nil if the exchange is not captured
	trace    *telemetry.Trace   // nil if not traced
	grant    *Grant             // nil if a key authenticates the caller
	hangup   *downstream.Hangup // of the connection; optional
	peer     peerCall           // nil if the exchange is for a model
	line     socket.Line        // nil if the exchange does not belong to a Realtime session
}

// state is how far an exchange has progressed.
type state struct {
	admitted bool // there is room for the records of the exchange
	audited  bool // GATEWAY_REQUEST is written
	routed   bool // a route or a provider serves the model
	billed   bool // the usage is summed
	recorded bool // the last records are appended
	asked    bool // the request may have been sent to a provider
	headOut  bool // a status was sent to the client
	crashed  bool
	torn     bool // an answer of bytes broke off: the connection ends too

	outOfScope bool // the key lacks the scope
}

func (p *Proxy) acquireCall(w gin.ResponseWriter, r *http.Request, in *inlet) *call {
	c := p.calls.Get().(*call)
	c.w, c.r, c.d = w, r, in.shape
	c.snap = p.Snapshots.Acquire()
	c.chain = c.snap.Chain
	c.x.Received = time.Now()
	c.line = in.line
	c.asArray, c.hangup = in.array, downstream.FindHangup(r.Context())
	if c.peer = in.peer; c.peer != nil {
		c.peer.attach(c)
	}
	c.x.Dialect, c.x.Head.Model, c.x.Head.Stream = in.shape.Name(), in.model, in.stream
	c.x.ID, c.x.Trace = newIDs(r.Header)
	c.beginTrace()
	w.Header()["X-Trace-Id"] = c.wrapHeaderValue(c.x.Trace)
	return c
}

// readTime returns the current time, computed from the time of receipt: time.Now also reads the wall clock and costs twice
// as much.
func (c *call) readTime() time.Time { return c.x.Received.Add(time.Since(c.x.Received)) }
