package mcp

import (
	"bytes"
	"context"
	"mime"
	"strconv"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core/body/sse"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// readEvent returns the data of an event, and records the data for a resumption.
func (a *Answer) readEvent(raw []byte) []byte {
	for line := range bytes.FieldsFuncSeq(raw, func(r rune) bool { return r == '\n' || r == '\r' }) {
		name, value, _ := bytes.Cut(line, []byte(":"))
		switch text := strings.TrimPrefix(string(value), " "); string(name) {
		case "id":
			if a.lastID = ""; isEventID(text) {
				a.lastID = text
			}
		case "retry":
			if ms, err := strconv.ParseUint(text, 10, 31); err == nil {
				a.retry = time.Duration(ms) * time.Millisecond
			}
		}
	}
	lo, hi, n := sse.FindData(raw)
	if n > 1 {
		joined := sse.Join(nil, raw)
		lo, hi, _ = sse.FindData(joined)
		return joined[lo:hi]
	}
	return raw[lo:hi]
}

// isEventID reports whether a text can be sent in a header.
func isEventID(id string) bool {
	return len(id) <= maxSession && !strings.ContainsFunc(id, func(r rune) bool { return r < ' ' || r > '~' })
}

// resume continues a stream that has ended before its response. Servers of the legacy era end streams on purpose, to be
// polled later (specification 2025-11-25, "Resumability").
func (a *Answer) resume(ctx context.Context) error {
	_ = a.body.Close()
	if a.message.Call.Era != mcp.Legacy || a.lastID == "" || a.resumes <= 0 {
		return ErrNoResponse
	}
	a.resumes--
	if err := a.wait(ctx, min(a.retry, maxResumeWait)); err != nil {
		return err
	}
	r := a.server.buildStreamRequest(a.message, a.session)
	r.Header = append(r.Header, upstream.Field{Name: mcp.HeaderLastEvent, Value: a.lastID})
	if !a.ends.IsZero() {
		if r.Timeouts.Total = time.Until(a.ends); r.Timeouts.Total <= 0 {
			return ErrNoResponse
		}
	}
	resp, err := a.server.client.Do(a.newCancelable(ctx), r)
	if err != nil {
		return err
	}
	a.body = resp.Body
	a.events.Reset()
	if kind, _, _ := mime.ParseMediaType(resp.Get("Content-Type")); resp.Status != 200 || kind != "text/event-stream" {
		return ErrNoResponse
	}
	if e := resp.Get("Content-Encoding"); e != "" && e != "identity" {
		return ErrEncoding
	}
	return nil
}

// wait waits before a resumption, as long as the server requested.
func (a *Answer) wait(ctx context.Context, d time.Duration) error {
	if !a.ends.IsZero() && time.Now().Add(d).After(a.ends) {
		return ErrNoResponse
	}
	t := time.NewTimer(d)
	defer t.Stop()
	select {
	case <-t.C:
		return nil
	case <-ctx.Done():
		return ctx.Err()
	}
}
