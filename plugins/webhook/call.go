package webhook

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"errors"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/circuit"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// maxReply bounds a reply in bytes: room for maxFindings findings.
const maxReply = 256 << 10

// After so many failures in a row, of one key or of all, a receiver is asked about a canary. If it fails that too, it is left
// alone for a while, until it passes.
const (
	breakerFailures = 5
	breakerPause    = 10 * time.Second
)

func newBreaker(pause time.Duration) *circuit.Streak {
	began := time.Now()
	return circuit.NewStreak(1, circuit.Settings{Pause: pause, Since: func() time.Duration { return time.Since(began) }})
}

// outcomeOf returns what a call tells about the receiver. A caller that hung up says nothing about it. Neither does a
// signed reply that makes no sense: one text that confuses a receiver must not switch the guard off for all others.
func outcomeOf(err error) circuit.Outcome {
	var e *Error
	switch {
	case err == nil:
		return circuit.Success
	case errors.As(err, &e) && (e.left != nil || e.Kind == core.FaultVerdict):
		return circuit.Neutral
	}
	return circuit.Failure
}

// keyOf is whose failures count together.
func keyOf(x *core.Exchange) string {
	if x.Principal == nil {
		return ""
	}
	return x.Principal.KeyID
}

// ask sends one body of a key's and returns the verdict on its segments. ctx ends with the Check, parent with the request.
func (s *Stage) ask(ctx, parent context.Context, key string, body []byte, texts []string) (verdict, error) {
	if s.broken != nil {
		return verdict{}, s.fault(core.FaultLoad, s.broken.Error())
	}
	if !s.slots.Take(ctx) {
		return verdict{}, s.crowdedError(parent)
	}
	defer s.slots.Give()
	permit, ok := s.breaker.Allow()
	if !ok || permit.IsTrial() && !s.try(permit) {
		return verdict{}, s.fault(
			core.FaultOverload,
			fmt.Sprintf("out of service after %d failures in a row and that of its canary; tried again within %s", breakerFailures, s.o.pause),
		)
	}
	v, err := s.exchange(ctx, parent, body, texts)
	switch outcomeOf(err) {
	case circuit.Success:
		s.faults.CountSuccess(key)
	case circuit.Failure:
		if s.faults.CountFault(key) {
			s.doubt()
		}
	}
	return v, err
}

func (s *Stage) exchange(ctx, parent context.Context, body []byte, texts []string) (verdict, error) {
	reply, err := s.send(ctx, body)
	if err != nil {
		var e *Error
		switch {
		case ctx.Err() != nil:
			return verdict{}, s.lateError(parent)
		case errors.As(err, &e):
			return verdict{}, e
		}
		return verdict{}, s.fault(core.FaultError, reason(err))
	}
	v, err := readVerdict(reply, texts)
	if err != nil {
		return verdict{}, s.fault(core.FaultVerdict, err.Error())
	}
	return v, nil
}

// send returns the body of the reply, whose signature it has checked. A connection
// that the receiver closed while it lay idle is found out by the call itself,
// which is then sent once more with a new nonce.
func (s *Stage) send(ctx context.Context, body []byte) ([]byte, error) {
	for again := true; ; again = false {
		reused := false
		trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}
		reply, sent, err := s.post(httptrace.WithClientTrace(ctx, trace), body)
		if err == nil || sent || !again || !reused || ctx.Err() != nil {
			return reply, err
		}
	}
}

// post makes one call. answered is true if the head of an answer arrived.
func (s *Stage) post(ctx context.Context, body []byte) (reply []byte, answered bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, s.url, bytes.NewReader(body))
	if err != nil {
		return nil, false, err // described by the caller
	}
	now := s.o.now()
	at, nonce := now.Unix(), newNonce()
	h := r.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("User-Agent", "headgate")
	h.Set(webhook.HeaderTimestamp, strconv.FormatInt(at, 10))
	h.Set(webhook.HeaderNonce, nonce)
	h.Set(webhook.HeaderSignature, webhook.Sign(s.o.Secret, webhook.Call, at, nonce, body))
	overlap := s.o.Previous != "" && now.Before(s.o.PreviousUntil)
	if overlap {
		h.Set(webhook.HeaderPrevious, webhook.Sign(s.o.Previous, webhook.Call, at, nonce, body))
	}
	res, err := s.client.Do(r)
	if err != nil {
		return nil, false, err // described by the caller
	}
	defer func() { _ = res.Body.Close() }()
	if reply, err = s.read(res); err != nil {
		return nil, true, err
	}
	signature := res.Header.Get(webhook.HeaderSignature)
	if webhook.Matches(s.o.Secret, webhook.Reply, at, nonce, reply, signature) ||
		overlap && webhook.Matches(s.o.Previous, webhook.Reply, at, nonce, reply, signature) {
		return reply, true, nil
	}
	return nil, true, s.fault(core.FaultABI, "the signature of its reply is missing or wrong")
}

// read checks the head of the answer and returns the body.
func (s *Stage) read(res *http.Response) ([]byte, error) {
	if res.StatusCode != http.StatusOK {
		what := fmt.Sprintf("it answered with status %d", res.StatusCode)
		if res.StatusCode/100 == 3 {
			what += "; redirects are not followed"
		}
		return nil, s.fault(core.FaultError, what)
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, s.fault(core.FaultABI, "its reply is not application/json")
	}
	if coding := res.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, s.fault(core.FaultABI, "its reply is compressed, which was not asked for")
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, err // described by the caller
	case len(b) > maxReply:
		return nil, s.fault(core.FaultABI, fmt.Sprintf("its reply is larger than %d bytes", maxReply))
	}
	return b, nil
}

// newNonce returns 32 random hex digits.
func newNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // it never fails: the program ends instead
	return hex.EncodeToString(b[:])
}
