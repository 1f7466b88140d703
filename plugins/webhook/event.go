package webhook

import (
	"bytes"
	"context"
	"errors"
	"fmt"
	"io"
	"net/http"
	"strconv"
	"time"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/sdk/webhook"
)

// SenderOptions configure how subscribers of events are called.
type SenderOptions struct {
	Timeout time.Duration // of one call; default: remote.DefaultTimeout
	// AllowPrivate allows addresses of this machine and of private networks, and plain http.
	AllowPrivate bool
	// CAFile is a PEM file of certificate authorities that are trusted in addition to the system's.
	CAFile string

	now      func() time.Time // set by tests
	resolver remote.Resolver
}

// Sender sends events to subscribers. The same addresses are allowed as for guards, redirects are not followed, and
// only the status of an answer is used.
type Sender struct {
	client       *http.Client
	allowPrivate bool
	timeout      time.Duration
	now          func() time.Time
}

// NewSender returns a sender. It makes no calls.
func NewSender(o SenderOptions) (*Sender, error) {
	if o.Timeout <= 0 {
		o.Timeout = remote.DefaultTimeout
	}
	if o.now == nil {
		o.now = time.Now
	}
	h, err := remote.NewClient(remote.ClientOptions{Timeout: o.Timeout, AllowPrivate: o.AllowPrivate, CAFile: o.CAFile, Resolver: o.resolver})
	if err != nil {
		return nil, err
	}
	return &Sender{client: h, allowPrivate: o.AllowPrivate, timeout: o.Timeout, now: o.now}, nil
}

// Close closes idle connections.
func (s *Sender) Close() { s.client.CloseIdleConnections() }

// CheckURL returns an error if the URL of a subscriber is not allowed. The addresses behind its host name are checked
// when it is called.
func (s *Sender) CheckURL(raw string) error {
	_, err := remote.ParseURL(raw, s.allowPrivate)
	return err
}

// Event is one call to a subscriber.
type Event struct {
	URL              string
	Secret, Previous string // Secret "" means that the call is not signed; Previous is "" if no secret is being replaced
	Type, Delivery   string
	Attempt          int
	Body             []byte
}

// sign sets the headers of a call in the gateway's own format.
func (s *Sender) sign(h http.Header, e *Event) {
	at, nonce := s.now().Unix(), newNonce()
	h.Set(webhook.HeaderEvent, e.Type)
	h.Set(webhook.HeaderDelivery, e.Delivery)
	h.Set(webhook.HeaderAttempt, strconv.Itoa(e.Attempt))
	h.Set(webhook.HeaderTimestamp, strconv.FormatInt(at, 10))
	h.Set(webhook.HeaderNonce, nonce)
	h.Set(webhook.HeaderSignature, webhook.Sign(e.Secret, webhook.Told, at, nonce, e.Body))
	if e.Previous != "" {
		h.Set(webhook.HeaderPrevious, webhook.Sign(e.Previous, webhook.Told, at, nonce, e.Body))
	}
}

// maxAnswer is how much of an answer is read and discarded, so that the connection can be reused.
const maxAnswer = 64 << 10

// Send makes one call. The status is 0 if no answer arrived. The error says in fixed words why the delivery does not
// count.
func (s *Sender) Send(ctx context.Context, e Event) (status int, err error) {
	u, err := remote.ParseURL(e.URL, s.allowPrivate)
	if err != nil {
		return 0, err
	}
	ctx, cancel := context.WithTimeout(ctx, s.timeout)
	defer cancel()
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, u.String(), bytes.NewReader(e.Body))
	if err != nil {
		return 0, errors.New("the receiver's URL cannot be called")
	}
	r.Header.Set("Content-Type", "application/json")
	r.Header.Set("User-Agent", "headgate")
	if e.Secret != "" {
		s.sign(r.Header, &e)
	}
	res, err := s.client.Do(r)
	if err != nil {
		if errors.Is(ctx.Err(), context.DeadlineExceeded) {
			return 0, fmt.Errorf("the receiver did not answer within %s", s.timeout)
		}
		return 0, errors.New(remote.DescribeFailure(err))
	}
	defer func() { _ = res.Body.Close() }()
	_, _ = io.CopyN(io.Discard, res.Body, maxAnswer) // so that the connection can be reused
	switch res.StatusCode / 100 {
	case 2:
		return res.StatusCode, nil
	case 3:
		return res.StatusCode, fmt.Errorf("the receiver answered with status %d; redirects are not followed", res.StatusCode)
	}
	return res.StatusCode, fmt.Errorf("the receiver answered with status %d", res.StatusCode)
}
