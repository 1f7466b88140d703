package batch

import (
	"context"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/records/store"
)

// judge runs the guards over a line of results. A line that they refuse is replaced by its error, in the provider's form
// of a failed request: other lines do not suffer for it. whole is false if the line is longer than the limit; line is then
// its first piece.
func (c *call) judge(ctx context.Context, f *store.BatchFile, line []byte, whole bool) ([]byte, *core.Error) {
	head := readResultHead(line)
	e := &core.Error{Kind: core.TooLarge, Code: core.CodeTooLarge, Public: "the result is too long to be judged"}
	if whole {
		r := result{caller: c.x.Principal, provider: f.Provider, shape: batchesName, line: line}
		if d := c.Dialect(f.Endpoint); d != nil {
			r.shape = d.Name()
		}
		r.model, r.target = resultModel(f.Models, head.model)
		var found []core.Finding
		line, found, e = c.rules.Guard.CheckResult(ctx, r)
		c.record.count(found)
		c.op.audited = c.op.audited || len(found) > 0
	}
	switch {
	case ctx.Err() != nil:
		return nil, incompleteBody(ctx.Err())
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

// resultModel returns the names of the model that wrote a result: the client's and the provider's.
func resultModel(models []store.BatchModel, answered string) (name, target string) {
	if len(models) == 1 {
		return models[0].Name, models[0].Target
	}
	name, target = answered, answered
	for n, i := 0, 0; i < len(models); i++ {
		if t := models[i].Target; len(t) > n && strings.HasPrefix(answered, t) {
			name, target, n = models[i].Name, t, len(t)
		}
	}
	return name, target
}

// resultHead is what identifies a result.
type resultHead struct {
	id, customID string // as the line spells them, with quotes; "": not found
	model        string
}

// readResultHead reads as far as the line is JSON.
func readResultHead(line []byte) (h resultHead) {
	var s splice.Scanner
	s.Reset(line)
	eachMember(&s, func(key string) {
		switch {
		case key == "id" && s.Kind() == splice.String:
			h.id = readQuoted(&s, line)
		case key == "custom_id" && s.Kind() == splice.String:
			h.customID = readQuoted(&s, line)
		case key == "response":
			eachMember(&s, func(key string) {
				if key != "body" {
					s.Skip()
					return
				}
				eachMember(&s, func(key string) {
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

// eachMember calls read with each name of an object, and skips any other value. read consumes the member's value.
func eachMember(s *splice.Scanner, read func(key string)) {
	if s.Kind() != splice.Object {
		s.Skip()
		return
	}
	s.Enter()
	for s.Next() {
		read(string(s.Key()))
	}
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
