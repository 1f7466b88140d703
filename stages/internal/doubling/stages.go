package main

import (
	"context"
	"encoding/json"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/openai"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/stages/internal/settingstest"
	"github.com/headgate-dev/headgate/stages/policy"
	"github.com/headgate-dev/headgate/stages/schema"
)

const hello = `{"model":"m","messages":[{"role":"user","content":"hello"}]}`

// scanRequest returns the exchange of a request.
func scanRequest(raw string) (*core.Exchange, error) {
	x := &core.Exchange{ID: "x", Dialect: openai.ChatName, Principal: &core.Principal{Tenant: "t"}}
	x.Request.Raw = []byte(raw)
	if err := (openai.Chat{}).Scan(x); err != nil {
		return nil, err
	}
	return x, nil
}

// scanAnswer gives an exchange an answer with one text.
func scanAnswer(x *core.Exchange, text string) error {
	content, err := json.Marshal(text)
	if err != nil {
		return err
	}
	x.Response.Raw = []byte(`{"choices":[{"message":{"role":"assistant","content":` + string(content) + `},"finish_reason":"stop"}]}`)
	return openai.Chat{}.ScanResponse(x)
}

func newSchemaStage(rules string) (core.StreamStage, *core.Exchange, error) {
	st, err := schema.New(settingstest.YAML("schemas: [{modelPattern: m, schema: "+rules+"}]"), nil)
	if err != nil {
		return nil, nil, err
	}
	x, err := scanRequest(hello)
	return st.(core.StreamStage), x, err
}

func prepareAnswer(ctx context.Context, rules, text string) (func() error, error) {
	st, x, err := newSchemaStage(rules)
	if err != nil {
		return nil, err
	}
	return func() error {
		_, err := st.Check(ctx, x, core.Response, nil)
		return err
	}, scanAnswer(x, text)
}

// delta is the length of a piece of a stream.
const delta = 64

func prepareStream(ctx context.Context, rules, text string) (func() error, error) {
	st, x, err := newSchemaStage(rules)
	if err != nil {
		return nil, err
	}
	f, err := st.Stream(ctx, x, nil)
	if err != nil {
		return nil, err
	}
	return func() error { return visitDeltas(ctx, f, text, func(*core.Window) {}) }, nil
}

// visitDeltas passes a text to a filter in pieces, which prepare may change.
func visitDeltas(ctx context.Context, f core.StreamFilter, text string, prepare func(*core.Window)) error {
	for at := 0; at < len(text); at += delta {
		end := min(at+delta, len(text))
		w := core.Window{Part: core.Part{Kind: core.KindText}, Text: text[at:end], Last: end == len(text)}
		prepare(&w)
		if _, _, err := f.Check(ctx, w); err != nil {
			return err
		}
	}
	return nil
}

// source has one policy.
type source string

func (s source) Watch(use func([]policydoc.Record) error) (func(), error) {
	return func() {}, use([]policydoc.Record{{
		ID: "p", Name: "p", Status: policydoc.Active, Version: 1, DSL: "version: 1\nname: p\nrules: [" + string(s) + "]\n",
	}})
}

func (source) StoreShadowEvents(context.Context, []policydoc.ShadowEvent, int) {}

func newPolicyStage(rules string) (*policy.Stage, error) {
	noon := time.Date(2026, 3, 3, 12, 0, 0, 0, time.UTC)
	st, err := policy.New(nil, policy.Deps{
		Now: func() time.Time { return noon }, Policies: source(rules), Chain: []string{policy.Name}, Links: []string{policy.Name},
	})
	if err != nil {
		return nil, err
	}
	return st.(*policy.Stage), nil
}

// prepareRequestCheck counts the check of a request whose body is the text.
func prepareRequestCheck(ctx context.Context, rules, text string) (func() error, error) {
	st, err := newPolicyStage(rules)
	if err != nil {
		return nil, err
	}
	x, err := scanRequest(text)
	return func() error {
		v, err := st.Check(ctx, x, core.Request, nil)
		st.Finish(ctx, x, v.Keep)
		return err
	}, err
}

// prepareAnswerCheck counts the check of an answer with the text.
func prepareAnswerCheck(ctx context.Context, rules, text string) (func() error, error) {
	st, err := newPolicyStage(rules)
	if err != nil {
		return nil, err
	}
	x, err := scanRequest(hello)
	if err != nil {
		return nil, err
	}
	return func() error {
		v, err := st.Check(ctx, x, core.Response, nil)
		st.Finish(ctx, x, v.Keep)
		return err
	}, scanAnswer(x, text)
}

// prepareFindingsCheck counts a stream in each piece of which another link finds a value.
func prepareFindingsCheck(ctx context.Context, rules, text string) (func() error, error) {
	st, err := newPolicyStage(rules)
	if err != nil {
		return nil, err
	}
	x, err := scanRequest(hello)
	if err != nil {
		return nil, err
	}
	f, err := st.Stream(ctx, x, nil)
	if err != nil {
		return nil, err
	}
	return func() error {
		return visitDeltas(ctx, f, text, func(w *core.Window) {
			found := core.Finding{Label: "EMAIL", Kind: core.FoundPII, Phase: core.Response, Score: 1, Start: 1, End: min(9, len(w.Text))}
			x.Findings, w.Found = append(x.Findings, found), []core.Finding{found}
		})
	}, nil
}
