package socket

import (
	"context"
	"encoding/json"
	"net/http"
	"time"

	"github.com/coder/websocket"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// live is one session of the Realtime API. It relays events between the client and a provider. Each event with text and
// each response is a separate exchange:
//
//	client ──event──► receive ─► run (live.go) ─► handleEvent (live_client.go) ──text──► ask (live_ask.go): one exchange
//	                              ▲    │                │ sound                             │ the judged event
//	                              │    └─ reply ◄───────┴──────────► provider ◄─────────────┘
//	provider ──event──► listen ───┘    (live_reply.go): the exchange of a response; its events pass the chain ──► client
//
// One goroutine, run, has all state. Two others read the sockets, and one runs the response in progress.
type live struct {
	*conn
	model    string          // as the client names it
	beta     bool            // the client speaks the form before 2025-08
	up       upstream.Socket // set by the first exchange
	target   core.TargetRef  // where up leads
	created  []byte          // the provider's first event
	incoming chan []byte     // events of the provider
	backlog  *backlog        // counts them
	fed      bool            // the event that is being relayed waits for the exchange of a response

	wish     sessionSettings
	items    conversation
	own      int             // answers to our own session.update that the client does not see
	waiting  map[string]bool // items of sound whose transcripts are to come
	asked    *responseAsk    // a response that is to be created
	reply    *reply          // the response in progress, or nil
	dropped  map[string]bool // ids of responses that the client does not see
	heard    soundCounts
	commits  []commit         // of the client, which the provider has not confirmed
	spoken   map[string]bool  // ids of items of sound that the provider has named
	sounds   map[string]sound // items of sound whose transcripts are to come
	owed     bills            // transcripts that could not be booked yet
	judged   bool             // the provider transcribes what is said, for guards
	writes   bool             // the provider has confirmed that it transcribes
	checked  time.Time        // when the key was checked last, while sound arrives
	deadline *time.Timer      // of the transcripts that asked waits for
}

// soundCounts counts sound.
type soundCounts struct {
	bytes int64 // sent, and not yet read by a response
	open  int64 // of these: sent, and not yet committed
	any   bool  // the session has taken sound
	known int64 // tokens of sound that the last response has read and written
}

// Bounds of sessions.
const (
	liveQueue       = 256              // events that wait, in both directions
	transcriptLimit = 15 * time.Second // for a transcript, before a response is refused
	writeLimit      = 30 * time.Second // for a message to the provider
	checkAfter      = time.Second      // while sound arrives, the key is checked again
	maxWritten      = 4096             // tokens of a response whose client sets no limit
	pcmRate         = 48_000           // bytes of a second: 16 bits at 24 kHz
	g711Rate        = 8_000
)

var liveShape openai.Realtime

// OpenLive upgrades the connection of a caller to a session with a model, and serves it to its end. The session is open at
// a provider before the upgrade. An error means that nothing has been written.
func (s *Sockets) OpenLive(w http.ResponseWriter, r *http.Request, who *core.Principal, model string, maxMessage int64) *core.Error {
	if e := checkHandshake(w.Header(), r); e != nil {
		return e
	}
	c := &conn{s: s, who: who, maxMessage: maxMessage, handshake: r}
	if e := s.add(c); e != nil {
		return e
	}
	defer s.remove(c)
	l := &live{
		conn: c, model: model, beta: r.Header.Get("Openai-Beta") != "", waiting: map[string]bool{}, dropped: map[string]bool{}, spoken: map[string]bool{},
		incoming: make(chan []byte, liveQueue), backlog: newBacklog(s, who.Tenant), sounds: map[string]sound{}, owed: bills{},
		wish: sessionSettings{creates: true, turns: true, rate: pcmRate, detection: json.RawMessage(ourDetection)},
	}
	if !l.open(w, r) {
		return nil // the refusal is written
	}
	defer l.up.Close()
	defer l.items.drop(l)
	ws, err := websocket.Accept(w, r, &websocket.AcceptOptions{InsecureSkipVerify: true, Subprotocols: []string{"realtime"}})
	if err != nil {
		return nil // Accept has answered
	}
	defer func() { _ = ws.CloseNow() }() // it may be closed
	ws.SetReadLimit(maxMessage)
	c.ws = ws
	l.run(r.Context())
	return nil
}

// run serves the session until it ends.
func (l *live) run(ctx context.Context) {
	ctx, stop := l.startContext(ctx)
	defer stop()
	defer l.bookOwedTranscripts(ctx)
	l.inbox = make(chan message, liveQueue)
	defer l.dropQueued()
	defer l.dropIncoming()
	defer l.endReply()
	go l.receive(ctx)
	go l.readEvents(ctx)
	if !l.relaySession(ctx, l.created, "session.created") || !l.prepare(ctx) {
		l.close(websocket.StatusTryAgainLater, "the provider has closed the session")
		return
	}
	old := time.NewTimer(l.s.o.Limits.Age)
	defer old.Stop()
	idle := time.NewTimer(l.s.o.Limits.Idle)
	defer idle.Stop()
	l.deadline = time.NewTimer(transcriptLimit)
	defer l.deadline.Stop()
	for goesOn := true; goesOn; {
		var ended chan struct{}
		drains := l.s.drains
		if l.reply != nil {
			ended, drains = l.reply.ended, nil // a session that drains ends after its response
		}
		select {
		case <-drains:
			l.close(websocket.StatusGoingAway, "the gateway is shutting down; connect again")
			return
		case <-old.C:
			l.refuse(ctx, "", &core.Error{
				Kind: core.InvalidRequest, Code: "session_expired", Public: "the session has reached its age limit; open another one to continue",
			})
			l.close(websocket.StatusNormalClosure, "the session has reached its age limit")
			return
		case <-idle.C:
			l.close(websocket.StatusNormalClosure, "the session was idle for too long")
			return
		case <-l.deadline.C:
			goesOn = l.dropLate(ctx)
		case m, ok := <-l.inbox:
			if !ok {
				return
			}
			l.queued.Add(-int64(len(m.event)))
			goesOn = l.handleEvent(ctx, m.event)
			l.releaseMessage(&m)
			idle.Reset(l.s.o.Limits.Idle)
		case ev, ok := <-l.incoming:
			if !ok {
				l.close(websocket.StatusTryAgainLater, "the provider has closed the session")
				return
			}
			goesOn = l.relayCounted(ctx, ev)
		case <-ended:
			goesOn = l.finishReply(ctx)
		}
	}
}

// write sends an event to the provider. It returns false if the session must end.
func (l *live) write(ctx context.Context, event []byte) bool {
	ctx, cancel := context.WithTimeout(ctx, writeLimit)
	defer cancel()
	return l.up.Write(ctx, event) == nil
}

// refuse tells the client why one of its events was refused. cause is the id of the event.
func (l *live) refuse(ctx context.Context, cause string, e *core.Error) bool {
	return l.send(ctx, liveShape.AppendEvent(nil, newEventID(), cause, e))
}
