package proxy

import (
	"context"
	"slices"
	"strconv"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// maxJudgements is how often a list is judged: once for each guard that refuses a definition of it, and then it is refused.
const maxJudgements = 8

// govern runs the chain over the response. Of a list, it takes out what a guard refuses, so that one poisoned description does not
// hide all other tools.
func (t *toolCall) govern(ctx context.Context) *core.Error {
	c := t.call
	if t.Subject() == mcp.NoSubject || t.Target != "" || t.Answer.Failed || len(t.Answer.Definitions) == 0 || !c.chain.Governs(&c.x) {
		return c.answer.newRetryError(c.answer.govern(ctx))
	}
	var j tools.Judgement
	e := t.judgeList(ctx, &j)
	if t.Method == mcp.MethodListTools {
		j.Judges = c.chain.ListJudges(c.x.Principal)
		t.server.RecordJudgement(&j) // what was refused stays refused if the list fails later
	}
	return e
}

// judgeList has the chain judge a list, takes out what guards refuse, and notes what they have said.
func (t *toolCall) judgeList(ctx context.Context, j *tools.Judgement) *core.Error {
	c := t.call
	for range maxJudgements {
		list := slices.Clone(c.x.Response.Raw) // links may change it before another one refuses it
		visits := len(c.x.Visits)
		e := c.answer.newRetryError(c.answer.govern(ctx))
		if e == nil {
			for i := range c.x.Visits[visits:] {
				if v := &c.x.Visits[visits+i]; v.Phase == core.Response && !v.Shadow && v.Fault == 0 {
					j.Links = append(j.Links, v.Link)
				}
			}
			for i := range t.Answer.Definitions {
				j.Passed = append(j.Passed, t.Answer.Definitions[i].Name)
			}
			return nil
		}
		names := t.listJudgedNames(e)
		if len(names) == 0 {
			return e
		}
		for _, name := range names {
			j.Refused = append(j.Refused, tools.Refusal{Tool: name, Link: c.x.Outcome.By})
		}
		if err := t.removeDefinitions(list, names); err != nil {
			return err
		}
	}
	return &core.Error{Kind: core.ContentFiltered, Code: core.CodeContentFilter, Public: "guards refuse too many definitions of the list"}
}

// listJudgedNames returns the names of the definitions that a guard has refused with the error; none if it has refused something else.
func (t *toolCall) listJudgedNames(e *core.Error) (names []string) {
	x := &t.call.x
	if e.Code != core.CodeContentFilter || x.Outcome.Kind != core.Blocked {
		return nil
	}
	for i := range x.Findings {
		f := &x.Findings[i]
		if f.Phase != core.Response || f.Shadow || f.Link != x.Outcome.By || f.Segment < 0 || f.Segment >= len(x.Response.Segments) ||
			!strings.Contains(e.Public, strconv.Quote(f.Label)) { // the error names the detector, and others of the link only flag
			continue
		}
		s := &x.Response.Segments[f.Segment]
		if s.Kind != core.KindDefinition || s.Part < 0 || int(s.Part) >= len(t.Answer.Definitions) {
			return nil // it is about the list as a whole
		}
		if name := t.Answer.Definitions[s.Part].Name; !slices.Contains(names, name) {
			names = append(names, name)
		}
	}
	return names
}

// removeDefinitions makes the list the response again, without what these names stand for.
func (t *toolCall) removeDefinitions(list []byte, names []string) *core.Error {
	c := t.call
	status := c.x.Response.Status
	scan := func(raw []byte) *core.Error {
		c.x.Response.Reset()
		c.x.Response.Status, c.x.Response.Raw = status, raw
		if err := t.ScanResponse(&c.x); err != nil {
			return core.ConvertError(err)
		}
		return nil
	}
	if e := scan(list); e != nil {
		return e
	}
	cuts := t.HideDefinitions(nil, list, func(name string) bool { return !slices.Contains(names, name) })
	body, err := splice.Append(make([]byte, 0, len(list)), list, cuts)
	if err != nil {
		return core.ConvertError(err)
	}
	c.x.Outcome.Kind, c.x.Outcome.By = 0, ""
	return scan(body)
}

// newRefusedDefinitionError returns the error of a tool whose definition a guard has refused.
func newRefusedDefinitionError() *core.Error {
	return &core.Error{
		Kind: core.Forbidden, Code: mcp.CodeToolQuarantined, Param: "params.name",
		Public: "a guard has refused the definition of this tool, so that it is neither listed nor callable",
	}
}
