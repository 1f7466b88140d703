package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"net/url"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

// SenderOptions say how subscribers of events are called.
type SenderOptions struct {
	Timeout time.Duration // of one call; 0: DefaultTimeout
	// AllowPrivate admits addresses of this machine and of private networks, and plain http.
	AllowPrivate bool
	// CAFile is a PEM file of authorities that are trusted besides the system's.
	CAFile string

	now      func() time.Time // of tests
	resolver resolver
}

// Sender tells subscribers of events. Addresses are restricted as those of guards
// are, no redirect is followed, and of an answer the status alone is read.
type Sender struct {
	client       *http.Client
	allowPrivate bool
	timeout      time.Duration
	now          func() time.Time
}

// NewSender returns a sender. It makes no calls.
func NewSender(o SenderOptions) (*Sender, error) {
	c := Options{
		Timeout: o.Timeout, AllowPrivate: o.AllowPrivate, Settings: Settings{CAFile: o.CAFile}, now: o.now, resolver: o.resolver,
	}
	c.fill()
	h, err := client(&c)
	if err != nil {
		return nil, err
	}
	return &Sender{client: h, allowPrivate: o.AllowPrivate, timeout: c.Timeout, now: c.now}, nil
}

// Close lets go of connections.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// Check returns an error if the URL of a subscriber is not allowed. The addresses behind its
// name are looked at when it is called.
func (s *Sender) Check(raw string) error {
	_, err := receiverURL(raw, s.allowPrivate)
	return err
}

// Event is one call to a subscriber.
type Event struct {
	URL              string
	Secret, Previous string // Previous "": none is being replaced
	Type, Delivery   string
	Attempt          int
	Body             []byte
}

// mostAnswer is how much of an answer is read, so that the connection can be used
// again. Nothing is made of it.
const mostAnswer = 64 << 10

// Send makes one call. The status is 0 when none came; an error says in words of
// our own why the call does not count as taken.
func (s *Sender) Send(ctx context.Context, e Event) (status int, err error) {
	u, err := receiverURL(e.URL, s.allowPrivate)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(e.Body))
	if err != nil {
		return 0, errors.New("its URL cannot be called")
	}
	at, nonce := s.now().Unix(), newNonce()
	h := r.Header
	h.Set("Content-Type", "application/json")
	h.Set("User-Agent", "headgate")
	h.Set(webhook.HeaderEvent, e.Type)
	h.Set(webhook.HeaderDelivery, e.Delivery)
	h.Set(webhook.HeaderAttempt, strconv.Itoa(e.Attempt))
	h.Set(webhook.HeaderTimestamp, strconv.FormatInt(at, 10))
	h.Set(webhook.HeaderNonce, nonce)
	h.Set(webhook.HeaderSignature, webhook.Sign(e.Secret, webhook.Told, at, nonce, e.Body))
	if e.Previous != "" {
		h.Set(webhook.HeaderPrevious, webhook.Sign(e.Previous, webhook.Told, at, nonce, e.Body))
	}
	res, err := s.client.Do(r)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return 0, fmt.Errorf("it did not answer within %s", s.timeout)
		}
		return 0, errors.New(reason(err))
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, mostAnswer) // for the connection's sake
	switch res.StatusCode / 100 {
	case 2:
		return res.StatusCode, nil
	case 3:
		return res.StatusCode, fmt.Errorf("it answered with status %d; redirects are not followed", res.StatusCode)
	}
	return res.StatusCode, fmt.Errorf("it answered with status %d", res.StatusCode)
}

// receiverURL parses the URL of a receiver and refuses one that must not be called.
func receiverURL(raw string, allowPrivate bool) (*url.URL, error) {
	u, err := url.Parse(raw)
	switch {
	case err != nil || u.Opaque != "" || u.Hostname() == "" || u.Scheme != "http" && u.Scheme != "https":
		return nil, errors.New("is not an http or https URL; write https://host/path")
	case u.User != nil:
		return nil, errors.New("holds a user or password; calls are signed with the secret, remove it")
	case u.Fragment != "":
		return nil, errors.New("holds a fragment; remove it")
	}
	return u, mayCall(u, allowPrivate)
}
