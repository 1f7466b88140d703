package audit

import (
	"context"
	"crypto/rand"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// checkpointEvery is how often a node signs where its chain ends, when there is something new.
const checkpointEvery = time.Minute

// Log appends events to the chain of this node. Its methods may be called from any goroutine.
type Log struct {
	w     *store.Writer
	db    *store.DB
	chain *chain
	guest bool
	every time.Duration
	quit  chan struct{}
	ended sync.WaitGroup
	once  sync.Once
}

// Start is what Open found.
type Start struct {
	Clean bool      // the chain is new, or its last writer had shut down in order
	Last  int64     // number of the last record before this start, 0 when there was none
	Since time.Time // time of that record
}

// Option changes how a log is opened.
type Option func(*Log)

// AsNode names the node whose chain is continued. Without it, it is the one name that the database keeps.
func AsNode(name string) Option { return func(l *Log) { l.chain.node = name } }

// CheckpointEvery sets how often a checkpoint is signed while there is something new. The default is a minute.
func CheckpointEvery(d time.Duration) Option { return func(l *Log) { l.every = d } }

// Open continues the chain of this node through w, signing with key, and writes the record of this start; it is durable
// when Open returns. From then on w accepts audit events. Close the log before the writer.
func Open(ctx context.Context, db *store.DB, w *store.Writer, key []byte, opts ...Option) (*Log, Start, error) {
	l, start, err := open(ctx, db, w, key, opts)
	if err != nil {
		return nil, Start{}, err
	}
	var p Payload
	p.Str("node", l.Node())
	p.Bool("clean", start.Clean)
	p.Int("previous_seq", start.Last)
	if start.Last > 0 {
		p.Str("previous_at", start.Since.Format(time.RFC3339Nano))
	}
	if !start.Clean {
		p.Str("gap", "records accepted after previous_at and before this one may be missing")
	}
	err = l.Append(ctx, Event{Type: ChainOpened, Payload: p.Bytes()})
	if err == nil && start.Last > 0 { // what was found is signed as it was found
		err = l.Checkpoint(ctx)
	}
	if err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain: %w", err)
	}
	if err := w.Sync(ctx); err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain: %w", err)
	}
	l.ended.Go(l.keep)
	return l, start, nil
}

// OpenGuest is Open for a short-lived process beside a running gateway, such as a command: it adds events, and neither
// marks a start nor a shutdown.
func OpenGuest(ctx context.Context, db *store.DB, w *store.Writer, key []byte, opts ...Option) (*Log, error) {
	l, _, err := open(ctx, db, w, key, opts)
	if err != nil {
		return nil, err
	}
	l.guest = true
	return l, nil
}

func open(ctx context.Context, db *store.DB, w *store.Writer, key []byte, opts []Option) (*Log, Start, error) {
	c, err := newChain("", key)
	if err != nil {
		return nil, Start{}, err
	}
	l := &Log{w: w, db: db, chain: c, every: checkpointEvery, quit: make(chan struct{})}
	for _, o := range opts {
		o(l)
	}
	if c.node == "" {
		if c.node, err = NodeOf(ctx, db); err != nil {
			return nil, Start{}, err
		}
	}
	if err := CheckNode(c.node); err != nil {
		return nil, Start{}, err
	}
	start, err := l.resume(ctx)
	if err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain of node %q: %w", c.node, err)
	}
	w.SetSealer(c)
	return l, start, nil
}

// resume finds where the chain ends, and how.
func (l *Log) resume(ctx context.Context) (Start, error) {
	c := l.chain
	head, err := l.db.Audit().GetHead(ctx, c.node)
	if err != nil {
		return Start{}, err
	}
	var last, turn *store.AuditRecord // the last record, and the last start or shutdown
	note := func(into **store.AuditRecord) func(r *store.AuditRecord) error {
		return func(r *store.AuditRecord) error {
			if *into == nil || r.Seq > (*into).Seq {
				own := r.Clone()
				*into = &own
			}
			return nil
		}
	}
	for kind, into := range map[string]**store.AuditRecord{"": &last, ChainOpened: &turn, ChainClosed: &turn} {
		if err := l.db.Audit().ForEach(ctx, store.AuditFilter{Node: &c.node, Type: kind, Limit: 1}, note(into)); err != nil {
			return Start{}, err
		}
	}
	base, err := l.db.Audit().GetBase(ctx, c.node)
	if err != nil {
		return Start{}, err
	}
	if base != nil {
		c.last = base.Seq
	}
	cp, err := l.db.Audit().LastCheckpoint(ctx, c.node, 0)
	if err != nil {
		return Start{}, err
	}
	if cp != nil {
		c.last = cp.Seq
	}
	c.lastKept = c.last
	switch {
	case head == nil && last == nil:
		return Start{Clean: true}, nil
	case head == nil:
		return Start{}, errors.New("it has records and no head; run the verification")
	}
	if err := c.Resume(*head); err != nil {
		return Start{}, fmt.Errorf("%w; was it written with another key?", err)
	}
	c.halfway = false
	c.known = c.last == head.Seq
	start := Start{Last: head.Seq, Since: time.UnixMicro(head.At).UTC()}
	start.Clean = turn == nil || turn.Type == ChainClosed
	return start, nil
}

// nodeSetting is where a database keeps the name of the node that it belongs to.
const nodeSetting = "node.id"

// NodeOf is the name that the database keeps for its node; it is made once, at random.
func NodeOf(ctx context.Context, db *store.DB) (string, error) {
	kept, err := db.Settings().InsertOnce(ctx, nodeSetting, []byte(NewNode()))
	if err != nil {
		return "", fmt.Errorf("name of this node: %w", err)
	}
	return string(kept), nil
}

// NewNode makes a name at random.
func NewNode() string {
	var b [5]byte
	_, _ = rand.Read(b[:]) // it never fails
	return "n" + hex.EncodeToString(b[:])
}

// CheckNode says what is wrong with the name of a node.
func CheckNode(name string) error {
	if name == "" || len(name) > 63 {
		return fmt.Errorf("node %.70q: a name has 1 to 63 characters", name)
	}
	for i, c := range []byte(name) {
		alnum := c >= 'a' && c <= 'z' || c >= 'A' && c <= 'Z' || c >= '0' && c <= '9'
		if !alnum && (i == 0 || c != '-' && c != '_' && c != '.') {
			return fmt.Errorf("node %q: write letters, digits and, behind the first character, - _ and dots", name)
		}
	}
	return nil
}

// Node names the chain that the log writes.
func (l *Log) Node() string { return l.chain.node }

// Append queues the event; it is durable within about 50 ms, or when Sync has returned. An error means that it was not
// taken: store.ErrBusy when the queue stayed full, and then what it tells of must not happen.
func (l *Log) Append(ctx context.Context, e Event) error {
	return l.w.AppendAudit(ctx, e.Tenant, e.Type, e.Payload)
}

// AppendAll is Append for events that are taken together, in their order and with no other in between, or not at all.
func (l *Log) AppendAll(ctx context.Context, events ...Event) error {
	return l.w.AppendAudits(ctx, events...)
}

// AppendWith is AppendAll together with the record of what the exchange has used, which is taken with them or not at all.
func (l *Log) AppendWith(ctx context.Context, u *store.UsageRecord, events ...Event) error {
	return l.w.AppendExchange(ctx, u, events...)
}

// Reserve reserves room for the records of an exchange before it is admitted. store.ErrBusy means that there is none and
// that the exchange must be refused. Release gives back what was not used.
func (l *Log) Reserve(ctx context.Context) (store.Room, error) { return l.w.Reserve(ctx) }

// Release gives back the room that an exchange did not use.
func (l *Log) Release(r *store.Room) { l.w.Release(r) }

// AppendAdmitted is AppendWith for an exchange that was admitted: a full queue does not refuse its records. Without a
// usage record u is nil; without the exchange's room at hand r is nil.
func (l *Log) AppendAdmitted(r *store.Room, u *store.UsageRecord, events ...Event) error {
	return l.w.AppendAdmitted(r, u, events...)
}

// Sync returns when all events appended before it are durable.
func (l *Log) Sync(ctx context.Context) error { return l.w.Sync(ctx) }

// Checkpoint queues a checkpoint, which also tells where the chains of the other nodes have come to: if one of them is
// cut off later, this chain shows it.
func (l *Log) Checkpoint(ctx context.Context) error {
	heads, err := l.db.Audit().ListHeads(ctx)
	if err != nil {
		return err
	}
	var seen []place
	for node, h := range heads {
		if node != l.Node() {
			seen = append(seen, place{Node: node, Seq: h.Seq, Hash: hex.EncodeToString(h.Hash[:])})
		}
	}
	var others []byte
	if len(seen) > 0 {
		if others, err = json.Marshal(seen); err != nil {
			return err
		}
	}
	return l.Append(ctx, Event{Type: ChainCheckpoint, Payload: others})
}

// keep signs checkpoints until the log is closed.
func (l *Log) keep() {
	tick := time.NewTicker(l.every)
	defer tick.Stop()
	for {
		select {
		case <-l.quit:
			return
		case <-tick.C:
		}
		if l.chain.open.Load() == 0 {
			continue
		}
		if errors.Is(l.Checkpoint(context.Background()), store.ErrClosed) { // any other error: the next tick tries again
			return
		}
	}
}

// Close marks an orderly shutdown, signs where the chain ends, and returns when that is durable. No event may be
// appended after it.
func (l *Log) Close(ctx context.Context) error {
	l.once.Do(func() { close(l.quit) })
	l.ended.Wait()
	if l.guest {
		if err := l.w.Sync(ctx); err != nil || l.chain.open.Load() == 0 {
			return err
		}
	} else if err := l.finally(ctx, func() error {
		return l.Append(ctx, Event{Type: ChainClosed, Payload: []byte("{}")})
	}); err != nil {
		return fmt.Errorf("close audit chain: %w", err)
	}
	if err := l.finally(ctx, func() error { return l.Checkpoint(ctx) }); err != nil {
		return fmt.Errorf("close audit chain: %w", err)
	}
	return l.w.Sync(ctx)
}

// finally appends one of the last records: when the queue is full, once it has been written.
func (l *Log) finally(ctx context.Context, appended func() error) error {
	err := appended()
	if !errors.Is(err, store.ErrBusy) {
		return err
	}
	if err := l.w.Sync(ctx); err != nil {
		return err
	}
	return appended()
}
