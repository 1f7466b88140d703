package schema

import (
	"context"
	"fmt"
	"strings"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/llm"
)

// Name is the stage's name in the configuration.
const Name = "schema"

// Phases are those in which the stage runs.
var Phases = core.NewPhaseSet(core.Response)

// Invalid is the label of the finding that an answer does not match its schema.
const Invalid = "schema_invalid"

// Stage checks answers against output schemas.
type Stage struct {
	schemas []*compiled // of the link
	records atomic.Pointer[records]
	stop    func() // ends the watch on records; optional
	pass    bool   // pass what is still wrong after the last retry
}

var (
	_ core.StreamStage      = (*Stage)(nil)
	_ core.ConditionalStage = (*Stage)(nil)
	_ core.Closer           = (*Stage)(nil)
)

// New returns the stage for its block of the configuration.
func New(s core.Settings, records Source) (core.Stage, error) {
	var c settings
	if s != nil {
		if err := s.Decode(&c); err != nil {
			return nil, err
		}
	}
	st := new(Stage)
	switch c.OnFailure {
	case "", failBlock:
	case failPass:
		st.pass = true
	default:
		return nil, fmt.Errorf("on_failure %q: write %s or %s", c.OnFailure, failBlock, failPass)
	}
	for i := range c.Schemas {
		if e := c.Schemas[i].Enabled; e != nil && !*e {
			if err := c.Schemas[i].check(); err != nil {
				return nil, fmt.Errorf("schemas[%d]: %w", i, err)
			}
			continue
		}
		one, err := compileSchema(c.Schemas[i])
		if err != nil {
			return nil, fmt.Errorf("schemas[%d]: %w", i, err)
		}
		st.schemas = append(st.schemas, one)
	}
	st.watch(records)
	return st, nil
}

// findSchema returns the schema of an exchange: the first that names its model or its route, of the link and then of the
// records, or nil. What a provider writes to compact a conversation is sealed: the rest of its answer are the user's texts.
func (s *Stage) findSchema(x *core.Exchange) *compiled {
	if x.Head.Task == llm.TaskCompact {
		return nil
	}
	if c := findFirst(s.schemas, x); c != nil {
		return c
	}
	if r := s.records.Load(); r != nil {
		return findFirst(r.all, x)
	}
	return nil
}

func findFirst(all []*compiled, x *core.Exchange) *compiled {
	for _, c := range all {
		if c.RouteID != "" && c.RouteID == x.Target.Route ||
			c.ModelPattern != "" && x.Names(c.ModelPattern) {
			return c
		}
	}
	return nil
}

// tries is how often the model was asked again. It is what the stage keeps for an exchange.
type tries int

// Check checks a whole answer against its schema.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	if p != core.Response {
		return core.Verdict{Action: core.Pass}, nil
	}
	c := s.findSchema(x)
	if c == nil {
		return core.Verdict{Action: core.Pass}, nil
	}
	for i := range x.Response.Segments {
		seg := &x.Response.Segments[i]
		if seg.Kind != core.KindText || seg.Role != core.RoleAssistant {
			continue
		}
		if err := core.CheckWork(ctx); err != nil {
			return core.Verdict{}, err
		}
		if flaws := c.judge(x, x.Response.ReadText(i)); len(flaws) > 0 {
			return s.buildVerdict(c, flaws, i, kept), nil
		}
	}
	return core.Verdict{Action: core.Pass}, nil
}

// judge returns what is wrong with one text of an answer. If the request offers tools, text that does not begin like
// JSON may be what a model says before a tool call.
func (c *compiled) judge(x *core.Exchange, text string) []string {
	trimmed := strings.TrimSpace(text)
	if len(x.Head.Tools) > 0 && !strings.HasPrefix(trimmed, "{") && !strings.HasPrefix(trimmed, "[") {
		return nil
	}
	return c.listFlaws(text)
}

// buildVerdict returns the verdict on an answer with flaws.
func (s *Stage) buildVerdict(c *compiled, flaws []string, segment int, kept any) core.Verdict {
	n, _ := kept.(tries)
	v := core.Verdict{Findings: []core.Finding{{Label: Invalid, Segment: segment, Score: 1}}}
	switch {
	case int(n) < c.MaxRetries:
		v.Action, v.Append, v.Keep = core.Retry, []llm.Message{{Role: llm.User, Parts: []llm.Part{llm.NewText(c.buildPrompt(flaws))}}}, n+1
	case s.pass:
		v.Action = core.Pass
		return v
	default:
		v.Action = core.Block
	}
	v.Err = newMismatchError(int(n) + 1)
	return v
}

// newMismatchError returns the error for the client after the last retry.
func newMismatchError(answers int) *core.Error {
	times := "an answer"
	if answers > 1 {
		times = fmt.Sprintf("%d answers", answers)
	}
	return &core.Error{
		Kind: core.BadGateway, Code: core.CodeOutputSchema,
		Public: "the model gave " + times + ", and none matches the output schema that is set for this model",
	}
}

// buildPrompt returns the prompt of a retry.
func (c *compiled) buildPrompt(flaws []string) string {
	var b strings.Builder
	if c.CorrectionPrompt != "" {
		b.WriteString(c.CorrectionPrompt)
	} else {
		b.WriteString(DefaultPrompt)
	}
	b.WriteString("\n\nWhat is wrong:")
	for _, f := range flaws {
		b.WriteString("\n- " + f)
	}
	b.WriteString("\n\nJSON Schema:\n")
	b.Write(c.text)
	return b.String()
}
