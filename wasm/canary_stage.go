package wasm

import (
	"context"
	"net/http"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// rehearsalText is the text of the request and the answer on which a stage is rehearsed. It is fixed, so clients cannot influence it.
const rehearsalText = "The quick brown fox, 0123456789 and Grüße from 東京."

// rehearse calls a stage in every phase of its manifest with a synthetic exchange. The verdict does not matter: the stage must return and
// obey the contract. Its state is empty, and writes to it are discarded.
func (i *instance) rehearse(ctx context.Context) error {
	m := &i.v.Manifest
	s := &FullStage{v: i.v, link: i.v.Name, phases: m.packPhases(), see: m.Reads.buildView(m.Kind), answer: refuseAnswer}
	s.store = newStore(noState{}, m.Name, true, false)
	s.services.Reply, s.silent, s.rehearsed = refuseReply, true, true
	x := NewRehearsal("rehearsal")
	var kept *exchangeState
	for p := abi.PhaseRequest; p <= abi.PhaseFinish; p++ {
		if !s.wants(p) {
			continue
		}
		j := job{phase: p, kept: kept}
		switch p {
		case abi.PhaseRequest, abi.PhaseTarget:
			j.body = &x.Request
		case abi.PhaseResponse:
			j.body, j.waits = &x.Response, true
		case abi.PhaseStreamEnd:
			j.texts = []streamedText{{core.KindText, []byte(rehearsalText)}}
		}
		i.call.arm(ctx, newTimeAllowance(i.v.limits.Start))
		var err error
		if p == abi.PhaseResponse && s.follows() {
			t := streamHook{s: s, x: x, inst: i, kept: kept}
			v := core.Verdict{Action: core.Pass}
			err = t.passRun(&v, &x.Response, x.Response.FindRun(0), abi.SourceAssistant)
			kept = t.kept
		} else {
			i.talk.begin(s, x, &j)
			var v core.Verdict
			if v, err = i.talk.call(i); err == nil {
				_, err = i.talk.finishVerdict(v)
			}
			kept = i.talk.kept
			i.talk.end()
		}
		if err != nil {
			kept.release(ctx)
			return err
		}
	}
	kept.release(ctx)
	return nil
}

func refuseReply(*core.Exchange, []byte) (*core.Payload, error) { return new(core.Payload), nil }

func refuseAnswer(*core.Exchange, string) (*core.Payload, error) { return new(core.Payload), nil }

// NewRehearsal returns a synthetic exchange that is over, with a text in its request and in its answer. The name is that of its tenant,
// key, model and provider.
func NewRehearsal(name string) *core.Exchange {
	x := &core.Exchange{
		ID: name, Trace: name, Dialect: "openai.chat", Received: time.Now(),
		Principal: &core.Principal{Tenant: name, KeyID: name, KeyName: name, Tier: "standard"},
		Head:      core.Head{Model: name, Messages: 1},
		Target:    core.TargetRef{Provider: name, Model: name},
		Outcome:   core.Outcome{Kind: core.Served, Status: 200, Complete: true},
	}
	fill := func(p *core.Payload, before, after string, role core.Role) {
		p.Raw = []byte(before + rehearsalText + after)
		at := splice.Span{Start: len(before), End: len(before) + len(rehearsalText)}
		p.Segments = []core.Segment{{Role: role, Kind: core.KindText, Depth: 1, Part: -1, Field: "content", Span: at}}
	}
	fill(&x.Request, `{"model":"`+name+`","messages":[{"role":"user","content":"`, `"}]}`, core.RoleUser)
	x.Request.Header, x.Request.Path = http.Header{"Content-Type": {"application/json"}}, "/v1/chat/completions"
	fill(&x.Response, `{"choices":[{"message":{"role":"assistant","content":"`, `"}}]}`, core.RoleAssistant)
	x.Response.Status = 200
	return x
}

// noState accepts every write and stores nothing.
type noState struct{}

var _ core.State = noState{}

func (noState) Get(context.Context, string) ([]byte, bool, error)        { return nil, false, nil }
func (noState) Set(context.Context, string, []byte, time.Duration) error { return nil }
func (noState) Delete(context.Context, string) error                     { return nil }
func (noState) Settle(context.Context, []core.Limit) error               { return nil }
func (noState) Seed(context.Context, string, int64, time.Time) error     { return nil }
func (noState) Take(_ context.Context, limits []core.Limit) (ok bool, err error) {
	for k := range limits {
		limits[k].Left = limits[k].Max
	}
	return true, nil
}
