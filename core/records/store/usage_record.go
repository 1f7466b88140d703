package store

import (
	"context"
	"time"
)

// UsageRecord says what one exchange used. The zero value of a field means that the exchange did not have it.
type UsageRecord struct {
	ExchangeID, Tenant, KeyID, EndUser string
	Dialect                            string // the client's shape
	ModelRequested                     string // as the client named it
	Provider, Model                    string // where the call went
	Outcome                            string // how the exchange ended
	Status                             int    // HTTP status the client got

	Input, Output, Cached, Reasoning int64 // tokens
	Counted                          bool  // they are the provider's count
	Estimated                        bool  // they are the gateway's, at least in part; with neither they are not stored
	Streamed                         bool
	Cost                             int64  // units of 1e-10 USD
	InputCost                        int64  // the part of Cost that input has
	PriceID                          string // of the price that it was reckoned with
	Priced                           bool   // the cost is known; without it it is not stored

	Latency   time.Duration // from the request's receipt to the answer's end; stored in milliseconds
	FirstByte time.Duration // from the request's receipt to the answer's first byte; zero when there was none
	At        time.Time     // when the exchange was received; zero means now
}

// usageEntry is a record in the queue. Its texts lie in the arena one after the other.
type usageEntry struct {
	exchange, user, series           span // see appendSeries for what a series is made of
	input, output, cached, reasoning int64
	latency, firstByte               int64 // milliseconds
	at                               int64
	cost, inputCost                  int64
	counted, estimated, priced       bool
}

// AppendUsage queues one usage record and copies what it is given. It waits when the queue is full, see ErrBusy.
func (w *Writer) AppendUsage(ctx context.Context, r *UsageRecord) error {
	if err := w.enter(ctx, load{1, r.size()}); err != nil {
		return err
	}
	w.addUsage(w.in, r)
	w.leave()
	return nil
}

// size is what the record takes in the arena, in bytes at most.
func (r *UsageRecord) size() int {
	return len(r.ExchangeID) + len(r.Tenant) + len(r.KeyID) + len(r.EndUser) + len(r.Dialect) + len(r.ModelRequested) +
		len(r.Provider) + len(r.Model) + len(r.Outcome) + len(r.PriceID) + seriesNumbers
}

// addUsage puts the record into the queue; w is locked.
func (w *Writer) addUsage(q *queue, r *UsageRecord) {
	at := r.At
	if at.IsZero() {
		at = w.db.now()
	}
	q.usage = append(q.usage, usageEntry{
		exchange:  put(q, r.ExchangeID),
		user:      put(q, r.EndUser),
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
