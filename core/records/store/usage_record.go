package store

import (
	"context"
	"time"
)

// UsageRecord is the usage of one exchange. A zero field means that the exchange did not have it.
type UsageRecord struct {
	ExchangeID, Tenant, KeyID, EndUser string
	Dialect                            string // the client's dialect
	ModelRequested                     string // as the client named it
	Provider, Model                    string // that served the call
	Outcome                            string // how the exchange ended
	BlockedBy                          string // the link that blocked it
	Status                             int    // HTTP status the client got

	Input, Output, Cached, Reasoning int64 // tokens
	Counted                          bool  // the provider counted the tokens
	Estimated                        bool  // the gateway estimated at least some; tokens with neither flag are not stored
	Streamed                         bool
	Cost                             int64  // units of 1e-10 USD
	InputCost                        int64  // the input's part of Cost
	PriceID                          string // of the price that was applied
	Priced                           bool   // the cost is known; otherwise it is not stored

	Latency   time.Duration // from the request's receipt to the answer's end; stored in milliseconds
	FirstByte time.Duration // from the request's receipt to the answer's first byte; zero if there was none
	At        time.Time     // when the exchange was received; zero means now
}

// usageEntry is a queued record. Its strings follow each other in the arena.
type usageEntry struct {
	exchange, user, series, link     span // see putSeries
	input, output, cached, reasoning int64
	latency, firstByte               int64 // milliseconds
	at                               int64
	cost, inputCost                  int64
	counted, estimated, priced       bool
}

// AppendUsage queues a copy of one usage record. If the queue is full, it waits; see ErrBusy.
func (w *Writer) AppendUsage(ctx context.Context, r *UsageRecord) error {
	if err := w.lockForAppend(ctx, load{1, r.measureSize()}); err != nil {
		return err
	}
	w.addUsage(w.in, r)
	w.unlockAfterAppend()
	return nil
}

// measureSize returns the maximum number of arena bytes of the record.
func (r *UsageRecord) measureSize() int {
	return len(r.ExchangeID) + len(r.Tenant) + len(r.KeyID) + len(r.EndUser) + len(r.Dialect) + len(r.ModelRequested) +
		len(r.Provider) + len(r.Model) + len(r.Outcome) + len(r.PriceID) + len(r.BlockedBy) + seriesNumbers
}

// addUsage queues the record. w is locked.
func (w *Writer) addUsage(q *queue, r *UsageRecord) {
	at := r.At
	if at.IsZero() {
		at = w.db.now()
	}
	q.usage = append(q.usage, usageEntry{
		exchange:  copyToArena(q, r.ExchangeID),
		user:      copyToArena(q, r.EndUser),
		link:      copyToArena(q, r.BlockedBy),
		series:    putSeries(q, r),
		input:     r.Input,
		output:    r.Output,
		cached:    r.Cached,
		reasoning: r.Reasoning,
		counted:   r.Counted,
		estimated: r.Estimated,
		cost:      r.Cost,
		inputCost: r.InputCost,
		priced:    r.Priced,
		latency:   r.Latency.Milliseconds(),
		firstByte: r.FirstByte.Milliseconds(),
		at:        at.UnixMicro(),
	})
}
