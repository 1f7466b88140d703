package proxy

import (
	"bytes"
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core"
)

// GuardKey replaces the key's id in exchanges that guards have with judge models on behalf of no key.
const GuardKey = "guard"

// RequestVerdict asks a model for a guard's verdict on a caller's text, by one chat completion, and returns the whole
// answer. The call is a separate exchange with audit and usage records for the caller's key. It passes no guards, but
// the budgets of the key apply; see Grant. If a budget refuses it, the error is a *core.Error. The call ends with ctx.
func (p *Proxy) RequestVerdict(ctx context.Context, by *core.Principal, link string, body []byte) (status int, answer []byte, err error) {
	return p.RequestAnswer(ctx, by, link, "/v1/chat/completions", body)
}

// RequestAnswer asks a model as Judge does, at the path of a chat completion or of embeddings.
func (p *Proxy) RequestAnswer(
	ctx context.Context, by *core.Principal, link, path string, body []byte,
) (status int, answer []byte, err error) {
	// Not a child of ctx: the values of the waiting exchange, such as its connection, do not belong to this call.
	own, cancel := context.WithCancel(context.Background())
	defer cancel()
	defer context.AfterFunc(ctx, cancel)()
	r, err := http.NewRequestWithContext(own, http.MethodPost, "http://gateway"+path, bytes.NewReader(body))
	if err != nil {
		return 0, nil, err
	}
	r.Header.Set("Content-Type", "application/json")
	r.RequestURI = r.URL.Path
	w := &answerBuffer{header: http.Header{}}
	g := Grant{Tenant: by.Tenant, Actor: "guard:" + link, Guard: link, By: by, embeds: path == "/v1/embeddings"}
	p.serveGrant(w, r, &g)
	if err := ctx.Err(); err != nil {
		return 0, nil, err
	}
	if e := g.refused; e != nil && e.Code == core.CodeQuota && e.Link != "" { // by a link of this gateway, not by a provider
		return 0, nil, e
	}
	return w.status, w.body.Bytes(), nil
}

// isOfGuard reports whether the exchange is a guard's own call.
func (c *call) isOfGuard() bool { return c.grant != nil && c.grant.Guard != "" }

// answerBuffer is the http.ResponseWriter of an answer that stays in this process.
type answerBuffer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func (w *answerBuffer) Header() http.Header { return w.header }

func (w *answerBuffer) WriteHeader(status int) {
	if w.status == 0 {
		w.status = status
	}
}

func (w *answerBuffer) Write(b []byte) (int, error) {
	w.WriteHeader(http.StatusOK)
	return w.body.Write(b)
}
