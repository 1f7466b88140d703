package main

import (
	"bytes"
	"context"
	"crypto/tls"
	"errors"
	"io"
	"net/http"
	"strconv"
	"strings"
	"time"
)

// framedStreams is how many workers share a connection of HTTP/2.
const framedStreams = 8

// newFramedClients returns clients of HTTP/2, each with one connection. net/http's client may cost what it costs: it runs on the
// load's core.
func newFramedClients(trust *tls.Config, workers int) []*http.Client {
	clients := make([]*http.Client, (workers+framedStreams-1)/framedStreams)
	for i := range clients {
		t := &http.Transport{TLSClientConfig: trust, DisableCompression: true, MaxConnsPerHost: 1, Protocols: new(http.Protocols)}
		t.Protocols.SetHTTP2(true)
		clients[i] = &http.Client{Transport: t}
	}
	return clients
}

// sendFramed is sendExchange over HTTP/2.
func (w *loadWorker) sendFramed(n uint64, due time.Time) (timing, error) {
	var t timing
	writeSequence(w.request, w.marks, n)
	writeSequence(w.want, w.wantAt, n)
	ctx, cancel := context.WithTimeout(context.Background(), w.plan.timeout)
	defer cancel()
	_, body, _ := bytes.Cut(w.request, []byte("\r\n\r\n"))
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, w.plan.url.String(), bytes.NewReader(body))
	if err != nil {
		return t, errWrite
	}
	r.Header.Set("Content-Type", "application/json")
	for _, line := range w.plan.headers {
		name, value, _ := strings.Cut(line, ": ")
		r.Header.Set(name, value)
	}
	res, err := w.plan.framed[w.number%len(w.plan.framed)].Do(r)
	switch {
	case errors.Is(err, context.DeadlineExceeded):
		return t, errTimeout
	case err != nil:
		return t, errClosed
	}
	defer func() { _ = res.Body.Close() }() // it was read, or has failed
	t.firstByte = time.Since(due)
	answer := bytes.NewBuffer(w.answer[:0])
	_, err = answer.ReadFrom(io.LimitReader(res.Body, maxAnswer))
	w.answer = answer.Bytes()
	w.bytes += int64(len(w.answer))
	if t.total = time.Since(due); err != nil {
		return t, errAnswerBody
	}
	w.answered++
	if res.ProtoMajor != 2 {
		return t, errors.New("answered over " + res.Proto)
	}
	if res.StatusCode != http.StatusOK {
		return t, errors.New("status " + strconv.Itoa(res.StatusCode))
	}
	return t, w.check(&t)
}
