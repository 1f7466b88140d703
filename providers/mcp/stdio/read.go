package stdio

import (
	"bufio"
	"bytes"
	"errors"
	"io"

	"github.com/headgate-dev/headgate/core/body/splice"
	dialect "github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/providers/mcp"
)

const (
	// excerpt is how much of the beginning and of the end of a line that is too long is searched for the id of its request.
	excerpt = 4 << 10
	// maxSkipped is the longest line that is skipped, in bytes. A longer line ends the process.
	maxSkipped = 256 << 20
)

// read passes the messages of the process to the callers that wait for them.
func (c *child) read(r io.Reader) {
	b := bufio.NewReaderSize(r, 64<<10)
	for {
		line, err := c.readLine(b)
		if len(bytes.TrimSpace(line)) > 0 {
			c.handleMessage(line)
		}
		if err != nil {
			return
		}
	}
}

// readLine returns the next line; the caller owns it. For a line that is too long it fails the request and returns nil.
func (c *child) readLine(b *bufio.Reader) (line []byte, err error) {
	limit := c.server.spec.MaxLine
	for {
		piece, err := b.ReadSlice('\n')
		if len(line)+len(piece) > limit {
			return nil, c.skipLine(b, append(line, piece...), err)
		}
		line = append(line, piece...)
		if !errors.Is(err, bufio.ErrBufferFull) {
			return line, err
		}
	}
}

// skipLine reads the rest of a line that is too long and fails the request that it answers, whose id is near its beginning
// or its end. If the line names no request, it ends the process, since any caller could be waiting for it.
func (c *child) skipLine(b *bufio.Reader, line []byte, err error) error {
	first := bytes.Clone(line[:min(len(line), excerpt)])
	last := append([]byte{}, line[max(0, len(line)-excerpt):]...)
	for n := len(line); errors.Is(err, bufio.ErrBufferFull); {
		var piece []byte
		piece, err = b.ReadSlice('\n')
		if n += len(piece); n > maxSkipped {
			killGroup(c.cmd.Process.Pid)
			return mcp.ErrTooLarge
		}
		last = append(last, piece...)
		last = append(last[:0], last[max(0, len(last)-excerpt):]...)
	}
	a := c.findRequest(first)
	if a == nil {
		a = c.findRequest(last)
	}
	if a == nil {
		c.server.log("wrote a line that is longer than max_answer and names no request")
		killGroup(c.cmd.Process.Pid)
		return mcp.ErrTooLarge
	}
	if c.forget(a) {
		a.err = mcp.ErrTooLarge
		close(a.whole)
	}
	return err
}

// findRequest returns the answer whose id a text contains as the id of a message.
func (c *child) findRequest(text []byte) *answer {
	for {
		at := bytes.Index(text, []byte(c.prefix))
		if at < 0 {
			return nil
		}
		before := bytes.TrimRight(bytes.TrimSuffix(text[:at], []byte{'"'}), " ")
		before = bytes.TrimRight(bytes.TrimSuffix(before, []byte{':'}), " ")
		if end := bytes.IndexByte(text[at:], '"'); end > 0 && bytes.HasSuffix(before, []byte(`"id"`)) {
			if a := c.lookup(string(text[at : at+end])); a != nil {
				return a
			}
		}
		text = text[at+len(c.prefix):]
	}
}

// handleMessage handles a message of the process.
func (c *child) handleMessage(line []byte) {
	line = bytes.TrimRight(line, "\r\n")
	var id, method, token splice.Span
	var s splice.Scanner
	s.Reset(line)
	if s.Kind() != splice.Object || !s.Enter() {
		c.server.log("wrote a line that is not a JSON-RPC message")
		return
	}
	for s.Next() {
		key := string(s.Key())
		at := s.Skip()
		switch key {
		case "id":
			id = at
		case "method":
			method = at
		}
	}
	if !s.End() {
		c.server.log("wrote a line that is not a JSON-RPC message")
		return
	}
	switch {
	case method.Len() > 0 && id.Len() > 0:
		c.refuse(line[id.Start:id.End], line[method.Start:method.End])
	case method.Len() > 0:
		token, _ = findSpan(line, splice.Span{End: len(line)}, "params", "progressToken")
		c.forwardProgress(line, token)
	case id.Len() > 2:
		a := c.lookup(string(line[id.Start+1 : id.End-1]))
		if a == nil || !c.forget(a) {
			return // of a call whose caller has left, or a second answer
		}
		if out, err := splice.Append(nil, line, []splice.Cut{{Span: id, With: string(a.id)}}); err == nil {
			a.whole <- out
		}
	}
}

// forwardProgress passes a progress notification to the caller with its token, and drops other notifications.
func (c *child) forwardProgress(line []byte, token splice.Span) {
	if token.Len() < 3 {
		return
	}
	a := c.lookup(string(line[token.Start+1 : token.End-1]))
	if a == nil || a.token == nil {
		return
	}
	out, err := splice.Append(nil, line, []splice.Cut{{Span: token, With: string(a.token)}})
	if err != nil || a.waiting.Load()+int64(len(out)) > maxNoteBytes { // only this goroutine adds
		return
	}
	a.waiting.Add(int64(len(out)))
	select {
	case a.notes <- out:
	default: // the caller does not read
		a.waiting.Add(-int64(len(out)))
	}
}

// refuse answers the process's own requests with an error: it cannot be told for which caller they are.
func (c *child) refuse(id, method []byte) {
	reply := append([]byte(`{"jsonrpc":"2.0","id":`), id...)
	if string(method) == `"`+dialect.MethodPing+`"` {
		reply = append(reply, `,"result":{}}`...)
	} else {
		reply = append(reply, `,"error":{"code":-32601,"message":"the client does not support this"}}`...)
	}
	select {
	case c.out <- append(reply, '\n'):
	default: // it sends more requests than it reads answers
	}
}
