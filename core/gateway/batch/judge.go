package batch

import (
	"bytes"
	"context"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/records/store"
)

// checkResultLine runs the guards over a line of results. If they refuse it, an error in the provider's form of a failed request
// replaces it; other lines are not affected. whole is false if the line is longer than the limit; line is then its first
// piece.
func (c *call) checkResultLine(ctx context.Context, f *store.BatchFile, line []byte, whole bool) ([]byte, *core.Error) {
	head := readResultHead(line)
	e := &core.Error{Kind: core.TooLarge, Code: core.CodeTooLarge, Public: "the result is too long to be judged"}
	if whole {
		r := result{caller: c.x.Principal, provider: f.Provider, shape: batchesName, line: line}
		if d := c.Dialect(f.Endpoint); d != nil {
			r.shape = d.Name()
		}
		line, e = c.judgeForModels(ctx, r, listResultModels(f.Models, head.model))
	}
	switch {
	case ctx.Err() != nil:
		return nil, mapReadError(ctx.Err())
	case e == nil:
		return line, nil
	}
	c.op.audited = true
	c.record.withheld++
	if c.x.Outcome.By == "" {
		c.x.Outcome.By = e.Link
	}
	line = head.appendError(nil, e)
	if c.rules.Restorer != nil { // the custom_id may hold a placeholder
		line = c.rules.Restorer.Restore(ctx, c.x.Principal, line)
	}
	return line, nil
}

// judgeForModels judges a result once for each model that may have been asked for, each time as the provider sent it: the
// edits of one model's links could restore values that the next model's links must not see. It returns the edited line, or
// an error if the links of two models edit it differently.
func (c *call) judgeForModels(ctx context.Context, r result, models []store.BatchModel) ([]byte, *core.Error) {
	var all []core.Finding
	defer func() { c.record.count(all) }()
	out := r.line
	for _, m := range models {
		r.model, r.target = m.Name, m.Target
		line, found, e := c.rules.Guard.CheckResult(ctx, r)
		all = appendNewFindings(all, found)
		if e != nil || ctx.Err() != nil {
			return line, e
		}
		switch {
		case bytes.Equal(line, r.line) || bytes.Equal(line, out):
		case bytes.Equal(out, r.line):
			out = line
		default:
			return nil, errEditsDiffer
		}
	}
	c.op.audited = c.op.audited || len(all) > 0
	return out, nil
}

// errEditsDiffer is the error of a result that links of two models edit in different ways.
var errEditsDiffer = &core.Error{
	Kind: core.ContentFiltered, Code: core.CodeContentFilter,
	Public: "the guards of two models in this file change this result in different ways; send a file for each model",
}

// appendNewFindings appends the findings of links that have no finding in all: a link that sees the result again for
// another model would find the same.
func appendNewFindings(all, found []core.Finding) []core.Finding {
	before := all
	for i := range found {
		if !slices.ContainsFunc(before, func(f core.Finding) bool { return f.Link == found[i].Link }) {
			all = append(all, found[i])
		}
	}
	return all
}

// listResultModels returns the models that a result may have been asked for. The name in a result says which model
// answered, not under which name it was asked for: several names may lead to one model, and a provider may call a
// deployment by the name of its model. Only for a file with one model is the model certain.
func listResultModels(models []store.BatchModel, answered string) []store.BatchModel {
	if len(models) == 0 {
		return []store.BatchModel{{Name: answered, Target: answered}}
	}
	return models
}

// resultHead is what identifies a result.
type resultHead struct {
	id, customID string // as the line spells them, with quotes; empty if not found
	model        string
}

// readResultHead reads as far as the line is JSON.
func readResultHead(line []byte) (h resultHead) {
	var s splice.Scanner
	s.Reset(line)
	scan.VisitMembers(&s, func(key string) {
		switch {
		case key == "id" && s.Kind() == splice.String:
			h.id = readQuoted(&s, line)
		case key == "custom_id" && s.Kind() == splice.String:
			h.customID = readQuoted(&s, line)
		case key == "response":
			scan.VisitMembers(&s, func(key string) {
				if key != "body" {
					s.Skip()
					return
				}
				scan.VisitMembers(&s, func(key string) {
					if key == "model" && s.Kind() == splice.String {
						at, _ := s.String()
						h.model = string(splice.AppendText(nil, line[at.Start:at.End]))
						return
					}
					s.Skip()
				})
			})
		default:
			s.Skip()
		}
	})
	return h
}

// readQuoted reads a string as it is spelled, unless it is longer than a name.
func readQuoted(s *splice.Scanner, doc []byte) string {
	at, _ := s.String()
	if s.Err() != nil || at.Len() > maxCustomID {
		return ""
	}
	return string(doc[at.Start-1 : at.End+1])
}

// appendError appends the line of a failed request.
func (h resultHead) appendError(b []byte, e *core.Error) []byte {
	quoted := func(b []byte, s string) []byte {
		if s == "" {
			s = "null"
		}
		return append(b, s...)
	}
	b = quoted(append(b, `{"id":`...), h.id)
	b = quoted(append(b, `,"custom_id":`...), h.customID)
	b = splice.AppendString(append(b, `,"response":null,"error":{"code":`...), e.Code)
	b = splice.AppendString(append(b, `,"message":`...), e.Public)
	return append(b, "}}\n"...)
}
