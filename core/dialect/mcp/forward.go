package mcp

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

// AppendForwardCuts returns the cut that replaces the target with the server's name for it. All other bytes stay.
func (c *Call) AppendForwardCuts(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	if t.Model != "" && t.Model != c.Target && c.method.target != "" {
		dst = append(dst, splice.Cut{Span: x.Request.Marks[markTarget], With: string(splice.AppendEscaped(nil, t.Model))})
	}
	return dst, nil
}

// ReplaceID returns a response with the id of the call, whatever its own is. It returns other input unchanged.
func (c *Call) ReplaceID(x *core.Exchange, doc []byte) []byte {
	s := &x.Scanner
	s.MaxDepth = maxDepth
	defer func() { s.MaxDepth = 0 }()
	if scan.OpenObject(s, doc, errNotObject) != nil {
		return doc
	}
	for s.Next() {
		own := string(s.Key()) == "id"
		if at := s.Skip(); own && s.Err() == nil {
			return slices.Concat(doc[:at.Start], c.ID, doc[at.End:])
		}
	}
	return doc
}

// ReadTarget reads Target again from the request, once links may have edited it. It reports whether it has changed.
func (c *Call) ReadTarget(request *core.Payload) (changed bool) {
	if c.Target == "" || len(request.Marks) <= markTarget {
		return false
	}
	at := request.Marks[markTarget]
	before := c.Target
	c.Target = string(splice.AppendText(make([]byte, 0, at.Len()), request.Raw[at.Start:at.End]))
	return c.Target != before
}
