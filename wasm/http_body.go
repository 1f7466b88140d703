package wasm

import (
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/wasm/abi"
	"github.com/headgate-dev/headgate/wasm/httpwasm"
)

// buffersResponse reports whether the guest sees and may change what the answer says.
func (m *httpMessage) buffersResponse() bool { return m.kept.features&httpwasm.BufferResponse != 0 }

// readHTTPBody returns a body as the guest sees it: as the links before have changed it. A text of a stream is a body by itself.
func (c *talk) readHTTPBody(i *instance, kind uint32) []byte {
	m := &i.http.message
	p := &c.x.Request
	if kind == httpwasm.Request && c.phase != abi.PhaseRequest {
		return nil // it was sent, and may not be kept
	}
	if kind == httpwasm.Response {
		switch {
		case c.phase != abi.PhaseResponse || !m.buffersResponse():
			return nil
		case c.body == nil && len(c.texts) > 0:
			return c.texts[0].text
		case c.body == nil:
			return nil
		}
		p = c.body
	}
	if m.bodies[kind] == nil {
		f, err := p.ForkFlushed()
		if err != nil {
			endWithBreach("the body cannot be shown with the changes of other links")
		}
		c.charge(i, len(f.Raw))
		m.bodies[kind] = f
	}
	return m.bodies[kind].Raw
}

func handleReadBody(c *talk, i *instance, stack []uint64) {
	kind, limit := uint32(stack[0]), int(uint32(stack[2]))
	switch {
	case kind > httpwasm.Response:
		endWithBreach("it read a body of a kind that there is not")
	case limit == 0:
		endWithBreach("it read a body into no room")
	case !c.s.see.seesAll() && c.s.see.sources != 0:
		endWithBreach("it read a body of which not every text is granted")
	}
	m := &i.http.message
	body := c.readHTTPBody(i, kind)
	from := m.read[kind]
	n := min(len(body)-from, limit)
	copy(readBytes(i, stack[1], uint64(n)), body[from:from+n])
	m.read[kind] += n
	c.charge(i, n)
	c.read += uint64(n)
	stack[0] = httpwasm.PackRead(n, m.read[kind] == len(body))
}

func handleWriteBody(c *talk, i *instance, stack []uint64) {
	kind := uint32(stack[0])
	if kind > httpwasm.Response {
		endWithBreach("it wrote a body of a kind that there is not")
	}
	if kind == httpwasm.Request && c.phase == abi.PhaseResponse {
		endWithBreach("it wrote the body of a request that was sent")
	}
	text := readBytes(i, stack[1], stack[2])
	m := &i.http.message
	c.charge(i, len(text))
	most := abi.MaxBody
	if c.body != nil {
		most += 2 * len(c.body.Raw)
	}
	if len(m.written[kind])+len(text) > most {
		endWithBreach("it wrote a body that is longer than it may be")
	}
	m.written[kind], m.wrote[kind] = append(m.written[kind], text...), true
}

// applyHTTPBody records the changes of a body that the guest has written.
func (c *talk) applyHTTPBody(i *instance, kind uint32) {
	m := &i.http.message
	shown := c.readHTTPBody(i, kind) // also if the guest has not read it
	if c.body == nil {               // a text of a stream
		if len(c.texts) == 0 {
			endWithBreach("it wrote the body of a streamed answer that it does not buffer: enable buffer_response")
		}
		if was, now := string(shown), string(m.written[kind]); was != now {
			e := httpwasm.TrimEdit(was, now)
			e.Segment = 0
			c.edits = append(c.edits, e)
		}
		return
	}
	change, err := httpwasm.FindChange(m.bodies[kind], m.written[kind])
	if err != nil {
		endWithBreach(err.Error())
	}
	if change.Model != "" {
		if kind == httpwasm.Response || !i.v.Manifest.has(abi.CapabilityPatch) {
			endWithBreach("it changes the model, which needs the capability patch in its manifest")
		}
		c.setHTTPModel(change.Model)
	}
	c.edits = slices.DeleteFunc(change.Edits, func(e core.Edit) bool { return e.Start == e.End && e.With == "" })
}
