package proxy

import (
	"bytes"
	"context"
	"net/http"

	"github.com/headgate-dev/headgate/core"
)

// GuardKey replaces the key's id in exchanges that guards have with judge models on behalf of no key.
const GuardKey = "guard"

// Judge asks a model for the verdict of a guard on a text of a caller, by one chat completion, and returns the whole answer. It
// is an exchange of its own, with audit and usage records of the caller's key, that passes no guards and is limited by the budgets
// of the key; see Grant. A refusal by such a budget is returned as a *core.Error. It ends with ctx.
func (p *Proxy) Judge(ctx context.Context, by *core.Principal, link string, body []byte) (status int, answer []byte, err error) {
	return p.AskFor(ctx, by, link, "/v1/chat/completions", body)
}

// AskFor asks a model as Judge does, at the path of a chat completion or of embeddings.
func (p *Proxy) AskFor(ctx context.Context, by *core.Principal, link, path string, body []byte) (status int, answer []byte, err error) {
	// Not a child of ctx: the values of the exchange that waits, such as its connection, are not this one's.
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
	p.try(w, r, &g)
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
