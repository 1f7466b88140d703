package cases

import (
	"bytes"
	"encoding/json"
	"fmt"
	"net/http"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/config"
)

// input is the input of a step, as bytes.
type input struct {
	shape   core.Dialect
	plain   bool   // text in no shape
	request []byte // the request's body, or nil
	answer  []byte // the answer's body; nil without an answer, or if it is only a stream
	events  []byte // the answer as a stream; nil if it cannot be streamed
	only    bool   // the answer is a stream, and nothing else
}

// readGiven checks the input of a step and builds its bytes.
func (r *reader) readGiven(s *step) bool {
	g, at, before := &s.given, s.givenAt, len(r.problems)
	in := &s.input
	in.shape = g.Dialect.findShape()
	var named []string
	for _, key := range []string{"text", "messages", "body", "raw", "stream"} {
		if at.Has(key) {
			named = append(named, key)
		}
	}
	response := g.Phase == "response"
	switch {
	case len(named) == 0:
		r.add(at.NewProblem("has no text", "write one of text, messages, body, raw and stream"))
		return false
	case len(named) > 1:
		r.add(at.NewProblem("cannot be combined with "+named[0], "keep one of text, messages, body, raw and stream", named[1]))
		return false
	}
	for _, key := range []string{"stream", "request", "streamed"} {
		if at.Has(key) && !response {
			r.add(at.NewProblem("is for the response phase", "write phase: response, or leave it out", key))
		}
	}
	if g.Source != "" && g.Text == nil {
		r.add(at.NewProblem("is allowed only with text", "leave it out: a body says whose its texts are", "source"))
	}
	if len(g.Messages) > 0 && (response || g.Dialect != "" && g.Dialect != "openai.chat") {
		r.add(at.NewProblem("are for chat requests", "write body: for another shape, or for an answer", "messages"))
	}
	if at.Has("request") && g.Text != nil {
		in.plain = false // the request is in a shape, and so is the answer
	}
	var body []byte
	switch named[0] {
	case "text":
		in.plain = !at.Has("request")
		if in.plain {
			if g.Dialect != "" {
				r.add(at.NewProblem("is allowed only with a body", "leave it out, or write body: instead of text:", "dialect"))
			}
			break
		}
		body = formatChatAnswer(*g.Text)
	case "messages":
		body = r.readChat(g)
	case "body":
		body = r.readJSON(g.Body)
	case "raw":
		body = []byte(*g.Raw)
	case "stream":
		in.events, in.only = []byte(*g.Stream), true
		if n := len(in.events); n > 0 && !bytes.HasSuffix(in.events, []byte("\n\n")) { // YAML's block text ends in one line feed
			in.events = append(bytes.TrimRight(in.events, "\n"), '\n', '\n')
		}
	}
	if at.Has("request") {
		in.request = r.readJSON(g.Request)
	}
	if response {
		in.answer = body
	} else {
		in.request = body
	}
	if len(r.problems) == before {
		r.checkBodies(s)
	}
	return len(r.problems) == before
}

// checkBodies checks that the gateway would accept the bodies, and finds the streamed form of an answer.
func (r *reader) checkBodies(s *step) {
	in, at := &s.input, s.givenAt
	x := s.buildExchange()
	if in.request != nil {
		if e := in.shape.Scan(x); e != nil {
			r.add(at.NewProblem("the request is not one that the gateway accepts: "+e.Error(), "write a body of the shape "+in.shape.Name()))
			return
		}
	}
	if in.answer != nil {
		if err := in.shape.ScanResponse(x); err != nil {
			r.add(at.NewProblem("the answer does not have the shape "+in.shape.Name()+": "+err.Error(),
				"write a body as the provider would send it"))
			return
		}
	}
	if s.given.Phase != "response" || s.given.Streamed != nil && !*s.given.Streamed {
		if in.only {
			r.add(at.NewProblem("is false, but the answer is a stream", "leave it out", "streamed"))
		}
		return
	}
	switch {
	case in.only:
		if _, err := cutEvents(in.shape, in.events, nil); err != nil {
			r.add(at.NewProblem(err.Error(), "write events as the provider would send them, each followed by an empty line", "stream"))
		}
	case in.plain && (s.given.Source == "" || s.given.Source == "assistant"):
		in.events = splitChatEvents(formatChatAnswer(*s.given.Text))
	case !in.plain && in.shape.Name() == "openai.chat":
		in.events = splitChatEvents(in.answer)
	}
	s.streamed = in.events != nil
	if s.given.Streamed != nil && !s.streamed {
		r.add(at.NewProblem("the gateway cannot turn this answer into a stream", "write the stream itself, as stream:", "streamed"))
	}
}

func (r *reader) readJSON(b config.Block) []byte {
	text, err := b.JSON()
	if err != nil {
		r.add(b.NewProblem(err.Error(), "write a value that JSON can express"))
	}
	return text
}

// readChat returns the body of a chat request.
func (r *reader) readChat(g *givenKeys) []byte {
	var b bytes.Buffer
	model := g.Model
	if model == "" {
		model = "test-model"
	}
	name, _ := json.Marshal(model) // marshalling a string cannot fail
	fmt.Fprintf(&b, `{"model":%s,"messages":[`, name)
	for i, m := range g.Messages {
		if i > 0 {
			b.WriteByte(',')
		}
		b.Write(r.readJSON(m))
	}
	b.WriteByte(']')
	if g.User != "" {
		user, _ := json.Marshal(g.User)
		fmt.Fprintf(&b, `,"user":%s`, user)
	}
	b.WriteByte('}')
	return b.Bytes()
}

// buildExchange returns the exchange. Its bodies are not scanned yet, unless they are plain text.
func (s *step) buildExchange() *core.Exchange {
	g := &s.given
	key, tenant := g.Key, g.Tenant
	if key == "" {
		key = "test"
	}
	if tenant == "" {
		tenant = "default"
	}
	x := &core.Exchange{
		ID: "stagetest", Trace: "stagetest", Dialect: s.input.shape.Name(), RelatedDialect: "",
		Principal: &core.Principal{
			Tenant: tenant, KeyID: key, KeyName: key, Lineage: key, Scopes: g.Scopes, Tags: g.Tags, Tier: g.Tier, Region: g.Region,
			TenantTags: g.TenantTags, Metadata: s.key, TenantMetadata: s.tenant,
		},
		Head:   core.Head{Model: g.Model, User: g.User},
		Target: core.TargetRef{Provider: g.Target.Provider, Model: g.Target.Model, Region: g.Target.Region, Route: g.Target.Route},
	}
	x.Request.Header, x.Request.Peer = http.Header{}, g.Address
	for name, value := range g.Headers {
		x.Request.Header.Set(name, value)
	}
	x.Request.Raw, x.Response.Raw = bytes.Clone(s.input.request), bytes.Clone(s.input.answer)
	if s.input.answer != nil || s.input.only || g.Phase == "response" {
		x.Response.Status = http.StatusOK
	}
	if s.input.plain {
		body := &x.Request
		if g.Phase == "response" {
			body = &x.Response
		}
		body.Raw = splice.AppendString(nil, *g.Text)
		seg := s.chooseSource().newSegment()
		seg.Depth, seg.Span = 1, splice.Span{Start: 1, End: len(body.Raw) - 1}
		body.Segments = append(body.Segments, seg)
		x.Head.Messages = 1
	}
	return x
}

func (s *step) chooseSource() sourceWord {
	switch {
	case s.given.Source != "":
		return s.given.Source
	case s.given.Phase == "response":
		return "assistant"
	}
	return "user"
}
