package audit

import (
	"context"
	"encoding/hex"
	"encoding/json"
	"errors"
	"fmt"
	"sync"
	"time"

	"github.com/headgate-dev/headgate/core/records/store"
)

// checkpointEvery is how often a node signs the end of its chain while records arrive.
const checkpointEvery = time.Minute

// Log appends events to the chain of this node. It is safe for concurrent use.
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

// Start describes the chain that Open found.
type Start struct {
	Clean bool      // the chain is new, or its last writer shut down cleanly
	Last  int64     // number of the last record before this start, or 0
	Since time.Time // time of that record
}

// Option configures Open.
type Option func(*Log)

// WithNode names the node whose chain is continued. By default it is the name that the database stores.
func WithNode(name string) Option { return func(l *Log) { l.chain.node = name } }

// WithCheckpointEvery sets the interval between checkpoints while records arrive. The default is a minute.
func WithCheckpointEvery(d time.Duration) Option { return func(l *Log) { l.every = d } }

// Open continues the chain of this node through w, signs with key, and writes the record of this start, which is
// durable when Open returns. w then accepts audit events. Close the log before the writer.
func Open(ctx context.Context, db *store.DB, w *store.Writer, key []byte, opts ...Option) (*Log, Start, error) {
	l, start, err := openLog(ctx, db, w, key, opts)
	if err != nil {
		return nil, Start{}, err
	}
	var p Payload
	p.AddStr("node", l.Node())
	p.AddBool("clean", start.Clean)
	p.AddInt("previous_seq", start.Last)
	if start.Last > 0 {
		p.AddStr("previous_at", start.Since.Format(time.RFC3339Nano))
	}
	if !start.Clean {
		p.AddStr("gap", "records accepted between previous_at and this start may be missing")
	}
	err = l.Append(ctx, Event{Type: ChainOpened, Payload: p.Bytes()})
	if err == nil && start.Last > 0 { // sign the chain as it was found
		err = l.WriteCheckpoint(ctx)
	}
	if err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain: %w", err)
	}
	if err := w.Sync(ctx); err != nil {
		return nil, Start{}, fmt.Errorf("open audit chain: %w", err)
	}
	l.ended.Go(l.writeCheckpoints)
	return l, start, nil
}

// OpenGuest is Open for a short-lived process beside a running gateway, such as a command. It appends events but marks
// neither a start nor a shutdown.
func OpenGuest(ctx context.Context, db *store.DB, w *store.Writer, key []byte, opts ...Option) (*Log, error) {
	l, _, err := openLog(ctx, db, w, key, opts)
	if err != nil {
		return nil, err
	}
	l.guest = true
	return l, nil
}

func openLog(ctx context.Context, db *store.DB, w *store.Writer, key []byte, opts []Option) (*Log, Start, error) {
	c, err := newChain("", key)
	if err != nil {
		return nil, Start{}, err
	}
	l := &Log{w: w, db: db, chain: c, every: checkpointEvery, quit: make(chan struct{})}
	for _, o := range opts {
		o(l)
	}
	if c.node == "" {
		if c.node, err = FindNode(ctx, db); err != nil {
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

// resume finds the end of the chain and how the last writer left it.
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
		if err := l.db.Audit().Visit(ctx, store.AuditFilter{Node: &c.node, Type: kind, Limit: 1}, note(into)); err != nil {
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
	cp, err := l.db.Audit().FindLastCheckpoint(ctx, c.node, 0)
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
		return Start{}, errors.New("records, but no head; run the verification")
	}
	if err := c.Resume(*head); err != nil {
		return Start{}, fmt.Errorf("%w; was it signed with another key?", err)
	}
	c.halfway = false
	c.known = c.last == head.Seq
	start := Start{Last: head.Seq, Since: time.UnixMicro(head.At).UTC()}
	start.Clean = turn == nil || turn.Type == ChainClosed
	return start, nil
}

// Append queues the event. It is durable some 50 ms later on an idle machine, or when Sync returns. An error means that
// the event was not accepted (store.ErrBusy if the queue stayed full); the caller must then not perform what it records.
func (l *Log) Append(ctx context.Context, e Event) error {
	return l.w.AppendAudit(ctx, e.Tenant, e.Type, e.Payload)
}

// AppendAll appends all of the events or none of them, in order, with no other event in between.
func (l *Log) AppendAll(ctx context.Context, events ...Event) error {
	return l.w.AppendAudits(ctx, events...)
}

// AppendWith is AppendAll together with the exchange's usage record: both are accepted or neither is.
func (l *Log) AppendWith(ctx context.Context, u *store.UsageRecord, events ...Event) error {
	return l.w.AppendExchange(ctx, u, events...)
}

// Reserve reserves queue room for the records of an exchange before it is admitted. It returns store.ErrBusy if the
// queue has no room; the exchange must then be refused. Release returns unused room.
func (l *Log) Reserve(ctx context.Context) (store.Room, error) { return l.w.Reserve(ctx) }

// Release returns the room that an exchange did not use.
func (l *Log) Release(r *store.Room) { l.w.Release(r) }

// AppendAdmitted is AppendWith for an admitted exchange: a full queue does not refuse its records. r and u are
// optional.
func (l *Log) AppendAdmitted(r *store.Room, u *store.UsageRecord, events ...Event) error {
	return l.w.AppendAdmitted(r, u, events...)
}

// Sync returns when all events appended before the call are durable.
func (l *Log) Sync(ctx context.Context) error { return l.w.Sync(ctx) }

// WriteCheckpoint queues a checkpoint. It also records the last known ends of the other nodes' chains, so that this chain
// reveals it if one of them is truncated later.
func (l *Log) WriteCheckpoint(ctx context.Context) error {
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

// writeCheckpoints signs checkpoints until the log is closed.
func (l *Log) writeCheckpoints() {
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
		if errors.Is(l.WriteCheckpoint(context.Background()), store.ErrClosed) { // on any other error the next tick retries
			return
		}
	}
}

// Close marks a clean shutdown, signs the end of the chain, and returns when both are durable. No event may be appended
// after it.
func (l *Log) Close(ctx context.Context) error {
	l.once.Do(func() { close(l.quit) })
	l.ended.Wait()
	if l.guest {
		if err := l.w.Sync(ctx); err != nil || l.chain.open.Load() == 0 {
			return err
		}
	} else if err := l.appendLast(ctx, func() error {
		return l.Append(ctx, Event{Type: ChainClosed, Payload: []byte("{}")})
	}); err != nil {
		return fmt.Errorf("close audit chain: %w", err)
	}
	if err := l.appendLast(ctx, func() error { return l.WriteCheckpoint(ctx) }); err != nil {
		return fmt.Errorf("close audit chain: %w", err)
	}
	return l.w.Sync(ctx)
}

// appendLast appends one of the last records. If the queue is full, it waits until the queue has been written.
func (l *Log) appendLast(ctx context.Context, appended func() error) error {
	err := appended()
	if !errors.Is(err, store.ErrBusy) {
		return err
	}
	if err := l.w.Sync(ctx); err != nil {
		return err
	}
	return appended()
}
