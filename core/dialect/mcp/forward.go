package mcp

import (
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
)

// Forward gives the cut that names the target as its server does. All other bytes stay.
func (c *Call) Forward(x *core.Exchange, t core.Traits, dst []splice.Cut) ([]splice.Cut, *core.Error) {
	if t.Model != "" && t.Model != c.Target && c.method.target != "" {
		dst = append(dst, splice.Cut{Span: x.Request.Marks[markTarget], With: string(splice.AppendEscaped(nil, t.Model))})
	}
	return dst, nil
}
