package proxy

import (
	"cmp"
	"context"
	"net/http"
	"slices"
	"strings"
	"time"

	"github.com/gin-gonic/gin"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/audit"
	"github.com/headgate-dev/headgate/core/auth"
	"github.com/headgate-dev/headgate/core/dialect/openai"
)

// modelsName stands where exchanges have the name of their shape, in records and
// metrics.
const modelsName = "openai.models"

type modelList struct {
	Object string  `json:"object"`
	Data   []model `json:"data"`
}

type model struct {
	ID           string       `json:"id"`
	Object       string       `json:"object"`
	Created      int64        `json:"created"`
	OwnedBy      string       `json:"owned_by"`
	Capabilities capabilities `json:"capabilities"`
}

type capabilities struct {
	Streaming         bool `json:"supports_streaming"`
	Vision            bool `json:"supports_vision"`
	ToolCalls         bool `json:"supports_tool_calls"`
	StructuredOutputs bool `json:"supports_structured_outputs"`
	JSONMode          bool `json:"supports_json_mode"`
	MaxContextTokens  int  `json:"max_context_tokens"`
}

// models lists what can be asked for by name: the models of the providers, and
// those that routes name in full.
func (p *Proxy) models(c *gin.Context) {
	s := p.Snapshots.Acquire()
	defer s.Release()
	x := core.Exchange{Dialect: modelsName, Received: time.Now(), Outcome: core.Outcome{Kind: core.Served, Status: http.StatusOK, Complete: true}}
	x.ID, x.Trace = identify(c.Request.Header)
	c.Header("X-Trace-Id", x.Trace)
	defer func() { p.Telemetry.Exchange(&x, time.Since(x.Received)) }()
	var e *core.Error
	if x.Principal, e = s.Keys.Authenticate(c.Request.Header, x.Received); e == nil {
		e = auth.Require(x.Principal, core.ScopeModels)
	}
	if e != nil {
		x.Outcome.Kind, x.Outcome.Status, x.Outcome.Err = core.Refused, e.HTTPStatus(), e
		if e.Kind == core.Unauthenticated {
			c.Header("Www-Authenticate", "Bearer")
			p.stranger(context.WithoutCancel(c.Request.Context()), &x, new(audit.Payload))
		}
		c.Data(e.HTTPStatus(), "application/json", openai.Chat{}.AppendError(nil, e))
		return
	}
	list := modelList{Object: "list", Data: []model{}}
	seen := map[string]bool{}
	add := func(id, sent string, owner core.Provider) {
		if seen[id] || strings.ContainsAny(id, "*?") {
			return
		}
		seen[id] = true
		k := owner.Capabilities(sent)
		list.Data = append(list.Data, model{
			ID: id, Object: "model", Created: p.Started.Unix(), OwnedBy: owner.Name(),
			Capabilities: capabilities{k.Streaming, k.Vision, k.ToolCalls, k.StructuredOutputs, k.JSONMode, k.MaxContextTokens},
		})
	}
	for _, r := range s.Router.Routes() {
		if len(r.Targets) > 0 {
			t := r.Targets[0]
			add(r.Pattern, cmp.Or(t.ModelOverride, r.Pinned, r.Pattern), s.Providers[t.Provider])
		}
	}
	for _, owner := range s.Providers {
		for _, id := range owner.Models() {
			add(id, id, owner)
		}
	}
	slices.SortFunc(list.Data, func(a, b model) int { return strings.Compare(a.ID, b.ID) })
	c.JSON(http.StatusOK, list)
}
