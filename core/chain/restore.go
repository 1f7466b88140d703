package chain

import (
	"context"
	"fmt"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/nested"
	"github.com/headgate-dev/headgate/core/body/placeholder"
)

// maxUnknown limits the unknown placeholders of one request, because each costs a database lookup.
const maxUnknown = 64

// Restore returns the request with the values of those placeholders in its texts that the caller may read. It is for
// a target that is trusted with them, once the links have let the request through. The exchange keeps the placeholders: links
// that judge the answer, or learn how the exchange has ended, are not trusted with the values.
func (c *Chain) Restore(ctx context.Context, x *core.Exchange) (*core.Payload, error) {
	r, unknown := getRun(x), 0
	edits := r.edits[:0]
	for i := 0; i < len(x.Request.Segments); {
		text := x.Request.FindRun(i)
		i += text.N
		isArguments := x.Request.Segments[text.First].Kind == core.KindToolArgs
		var in nested.Cursor
		for at := 0; ; {
			start, end, ok := placeholder.Next(text.Text, at)
			if !ok {
				break
			}
			if isArguments {
				in.Read(text.Text[at:start])
			}
			at = end
			value, ok, err := c.resolve(ctx, x, text.Text[start:end], &unknown)
			if err != nil {
				return nil, err
			}
			if isArguments {
				value = in.Escape(value)
				in.SkipPlaceholder()
			}
			if ok {
				edits = x.Request.AppendEdits(edits, text, start, end, value, "")
			}
		}
	}
	r.edits = edits
	if len(edits) == 0 {
		return &x.Request, nil
	}
	restored := x.Request.Fork()
	restored.Apply(edits)
	if err := restored.Flush(); err != nil {
		return nil, fmt.Errorf("restore placeholders: %w", err)
	}
	return restored, nil
}

// resolve returns the value of a placeholder, or false if the caller must not read it.
func (c *Chain) resolve(ctx context.Context, x *core.Exchange, token string, unknown *int) (string, bool, error) {
	if value, ok := x.Minted.FindValue(token); ok || c.tokens == nil || *unknown >= maxUnknown {
		return value, ok, nil
	}
	value, ok, err := c.tokens.Resolve(ctx, x, token)
	if err != nil {
		return "", false, fmt.Errorf("resolve a placeholder: %w", err)
	}
	if !ok {
		*unknown++
	}
	return value, ok, nil
}
