package batch

import (
	"bufio"
	"bytes"
	"context"
	"errors"
	"io"
	"mime"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/batch/backend"
)

// sendContent sends a file and restores redacted values line by line. A line beyond the length limit is sent unchanged,
// unless guards must judge it.
func (c *call) sendContent(ctx context.Context) *core.Error {
	f, e := c.findFile(ctx, c.r.PathValue("id"))
	if e != nil {
		return e
	}
	b, e := c.findBackend(f.Provider)
	if e != nil {
		return e
	}
	body, e := b.OpenContent(ctx, f.ProviderID)
	if e != nil {
		return e
	}
	defer func() { _ = body.Close() }() // it was read; nothing can be lost
	h := c.w.Header()
	h.Set("Content-Type", "application/octet-stream")
	if d := mime.FormatMediaType("attachment", map[string]string{"filename": f.Name}); d != "" {
		h.Set("Content-Disposition", d)
	}
	c.begun, c.record.file = true, f.ID
	_, local := b.(backend.Local)
	restore := c.rules.Restorer != nil && !local
	judge := c.rules.Guard != nil && f.Purpose == purposeOutput
	src, out := newLines(body, c.MaxLine), bufio.NewWriterSize(c.w, 64<<10)
	pending := false // the rest of a line that was too long is still to come
	for {
		line, whole, err := src.readLine()
		if errors.Is(err, io.EOF) {
			break
		}
		if err != nil {
			return c.abortAnswer(err, core.UpstreamErr)
		}
		rest := pending
		pending = !whole && !bytes.HasSuffix(line, []byte{'\n'})
		switch {
		case judge && rest:
			continue // the error of the line's first piece replaces the whole line
		case judge:
			var e *core.Error
			if line, e = c.checkResultLine(ctx, f, line, whole); e != nil {
				return c.abortAnswer(e, core.ClientGone)
			}
		case restore && whole:
			line = c.rules.Restorer.Restore(ctx, c.x.Principal, line)
		}
		if _, err = out.Write(line); err != nil {
			return c.abortAnswer(err, core.ClientGone)
		}
	}
	if err := out.Flush(); err != nil {
		return c.abortAnswer(err, core.ClientGone)
	}
	return nil
}

// abortAnswer ends an answer that has begun and cannot be finished.
func (c *call) abortAnswer(err error, how core.OutcomeKind) *core.Error {
	o := &c.x.Outcome
	o.Kind, o.Complete, c.cut = how, false, true
	o.Err = &core.Error{Kind: core.BadGateway, Code: core.CodeUpstreamInvalid, Public: "the file ended before all of it had arrived", Err: err}
	return nil
}
