package webhook

import (
	"bytes"
	"context"
	"crypto/rand"
	"encoding/hex"
	"fmt"
	"io"
	"mime"
	"net/http"
	"net/http/httptrace"
	"strconv"

	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/sdk/webhook"
)

// maxReply is the maximum size of a reply in bytes: room for remote.MaxFindings findings.
const maxReply = 256 << 10

// asker is a receiver. It signs calls and checks the signatures of replies.
type asker struct {
	o      Options
	url    string
	client *http.Client
}

var _ remote.Asker = (*asker)(nil)

// Ask makes one call.
func (a *asker) Ask(ctx context.Context, q *remote.Question) (remote.Verdict, error) {
	reply, err := a.send(ctx, encodeQuestion(q))
	if err != nil {
		return remote.Verdict{}, err
	}
	texts := make([]string, len(q.Pieces))
	for i := range texts {
		texts[i] = q.Pieces[i].Text
	}
	v, err := readVerdict(reply, texts)
	if err != nil {
		return remote.Verdict{}, remote.NewFault(core.FaultVerdict, err.Error())
	}
	return v, nil
}

// Close closes idle connections.
func (a *asker) Close() { a.client.CloseIdleConnections() }

// send returns the body of the reply after checking its signature. If the receiver has closed an idle connection, the
// call fails before an answer arrives; it is then sent once more, with a new nonce.
func (a *asker) send(ctx context.Context, body []byte) ([]byte, error) {
	for again := true; ; again = false {
		reused := false
		trace := &httptrace.ClientTrace{GotConn: func(i httptrace.GotConnInfo) { reused = i.Reused }}
		reply, sent, err := a.post(httptrace.WithClientTrace(ctx, trace), body)
		if err == nil || sent || !again || !reused || ctx.Err() != nil {
			return reply, err
		}
	}
}

// post makes one call. answered is true if the head of an answer arrived.
func (a *asker) post(ctx context.Context, body []byte) (reply []byte, answered bool, err error) {
	r, err := http.NewRequestWithContext(ctx, http.MethodPost, a.url, bytes.NewReader(body))
	if err != nil {
		return nil, false, err // described by the caller
	}
	now := a.o.now()
	at, nonce := now.Unix(), newNonce()
	h := r.Header
	h.Set("Content-Type", "application/json")
	h.Set("Accept", "application/json")
	h.Set("User-Agent", "headgate")
	h.Set(webhook.HeaderTimestamp, strconv.FormatInt(at, 10))
	h.Set(webhook.HeaderNonce, nonce)
	h.Set(webhook.HeaderSignature, webhook.Sign(a.o.Secret, webhook.Call, at, nonce, body))
	overlap := a.o.Previous != "" && now.Before(a.o.PreviousUntil)
	if overlap {
		h.Set(webhook.HeaderPrevious, webhook.Sign(a.o.Previous, webhook.Call, at, nonce, body))
	}
	res, err := a.client.Do(r)
	if err != nil {
		return nil, false, err // described by the caller
	}
	defer func() { _ = res.Body.Close() }()
	if reply, err = a.read(res); err != nil {
		return nil, true, err
	}
	signature := res.Header.Get(webhook.HeaderSignature)
	if webhook.Matches(a.o.Secret, webhook.Reply, at, nonce, reply, signature) ||
		overlap && webhook.Matches(a.o.Previous, webhook.Reply, at, nonce, reply, signature) {
		return reply, true, nil
	}
	return nil, true, remote.NewFault(core.FaultABI, "the signature of its reply is missing or wrong")
}

// read checks the head of the answer and returns the body.
func (a *asker) read(res *http.Response) ([]byte, error) {
	if res.StatusCode != http.StatusOK {
		what := fmt.Sprintf("the guard answered with status %d", res.StatusCode)
		if res.StatusCode/100 == 3 {
			what += "; redirects are not followed"
		}
		return nil, remote.NewFault(core.FaultError, what)
	}
	kind, _, err := mime.ParseMediaType(res.Header.Get("Content-Type"))
	if err != nil || kind != "application/json" {
		return nil, remote.NewFault(core.FaultABI, "the guard's reply is not application/json")
	}
	if coding := res.Header.Get("Content-Encoding"); coding != "" && coding != "identity" {
		return nil, remote.NewFault(core.FaultABI, "the guard's reply is compressed, which was not asked for")
	}
	b, err := io.ReadAll(io.LimitReader(res.Body, maxReply+1))
	switch {
	case err != nil:
		return nil, err // described by the caller
	case len(b) > maxReply:
		return nil, remote.NewFault(core.FaultABI, fmt.Sprintf("the guard's reply is larger than %d bytes", maxReply))
	}
	return b, nil
}

// newNonce returns 32 random hex digits.
func newNonce() string {
	var b [16]byte
	_, _ = rand.Read(b[:]) // never fails: the program ends instead
	return hex.EncodeToString(b[:])
}
