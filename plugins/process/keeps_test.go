package process

import (
	"context"
	"fmt"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
	sdk "github.com/headgate-dev/headgate/sdk/process"
)

// How long tests wait for background work.
const (
	timeToWait = 10 * time.Second
	tick       = time.Millisecond
)

// keeps is a plugin that uses everything that a verdict can contain.
type keeps struct{}

func (keeps) Manifest() sdk.Manifest {
	return sdk.Manifest{
		Name: "keeps", Version: "1", Phases: []core.Phase{core.Request, core.Target, core.Response},
		Fields: []string{"model", "target", "outcome", "usage"}, Texts: []string{"user", "assistant"},
	}
}

func (keeps) Check(_ context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	switch p {
	case core.Request:
		text := x.Request.ReadText(0)
		if strings.HasPrefix(text, "answer") {
			return core.Verdict{
				Action: core.Answer,
				Reply:  &core.Payload{Raw: []byte(`{"choices":[{"index":0,"message":{"role":"assistant","content":"here"}}]}`)},
			}, nil
		}
		if strings.HasPrefix(text, "echo") {
			return core.Verdict{Action: core.Rewrite, Patch: core.Patch{Model: strings.ToUpper(x.Head.Model), MaxTokens: 7}}, nil
		}
		return core.Verdict{
			Action: core.Rewrite, Patch: core.Patch{Model: "cheap", MaxTokens: 7}, Keep: []byte(text),
			Header: []core.Field{{Name: "X-Keeps", Value: "yes"}},
		}, nil
	case core.Target:
		return core.Verdict{Action: core.Block, Err: &core.Error{Kind: core.Forbidden, Code: "NOT_THERE", Public: x.Target.Model}}, nil
	}
	return core.Verdict{
		Action: core.Retry, Err: &core.Error{Kind: core.RateLimited, RetryAfter: 2500 * time.Millisecond},
		Append: []llm.Message{{Role: llm.User, Parts: []llm.Part{{Kind: llm.TextPart, Text: fmt.Sprintf("%s was kept", kept)}}}},
	}, nil
}

func (keeps) Finish(_ context.Context, x *core.Exchange, kept any) {
	fmt.Printf("finish kept=%s outcome=%s input=%d\n", kept, x.Outcome.Kind, x.Usage.Input)
}

// minds is a plugin that is not asked before a streamed answer, and keeps a value of it.
type minds struct{ keeps }

func (minds) Manifest() sdk.Manifest {
	return sdk.Manifest{
		Name: "minds", Version: "1", Phases: []core.Phase{core.Response}, Texts: []string{"assistant"}, Fields: []string{"outcome"},
	}
}

func (minds) Stream(context.Context, *core.Exchange, any) (core.StreamFilter, error) {
	return mindsFilter{}, nil
}

type mindsFilter struct{}

func (mindsFilter) Check(_ context.Context, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Pass}
	if w.Text != "" {
		v.Keep = []byte(w.Text[w.New:])
	}
	return v, 0, nil
}

func (mindsFilter) Close(context.Context) error { return nil }
