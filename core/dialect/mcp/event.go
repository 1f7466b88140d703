package mcp

import (
	"bytes"
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var (
	errEarlyResponse = errors.New("a response is judged whole, not as an event")
	errServerRequest = errors.New("the server sends a request that this era of the protocol does not have")
)

// ScanEvent reads a message that comes before the response: a notification, or in the legacy era
// a request of the server. Each of its texts is complete. It fails for a response, which is
// judged whole.
func (c *Call) ScanEvent(x *core.Exchange, ev *core.Event) error {
	x.Scanner.MaxDepth = maxDepth
	defer func() { x.Scanner.MaxDepth = 0 }()
	data, base, _ := scan.ReadEventData(ev, &c.joined)
	if len(bytes.TrimSpace(data)) == 0 { // a comment, or an id for a resumption
		return nil
	}
	e := event{c: c, ev: ev, s: &x.Scanner, doc: data, base: base}
	if err := scan.OpenObject(e.s, data, errNotObject); err != nil {
		return err
	}
	isVersion, isRequest, method := false, false, ""
	for e.s.Next() {
		switch key := e.s.Key(); string(key) {
		case "jsonrpc":
			isVersion = scan.ReadAlias(e.s, data) == "2.0"
		case "id":
			isRequest = true
			e.scanNonText()
		case "method":
			from := e.s.Pos()
			method = scan.ReadText(e.s, data)
			e.addOddStrings(from)
		case "params":
			e.readParams()
		case "result", "error":
			return errEarlyResponse
		default:
			e.addLeaves(key)
		}
	}
	if e.s.End(); e.s.Err() != nil {
		return e.s.Err()
	}
	switch {
	case !isVersion || method == "":
		return errNotObject
	case isRequest && (c.Era == Modern || !serverRequests[method]):
		return errServerRequest
	}
	return nil
}

// event is the state of one scan.
type event struct {
	c    *Call
	ev   *core.Event
	s    *splice.Scanner
	doc  []byte
	base int // where doc begins in the event
}

// readParams reads the params. What a server logs can be any JSON, and is shown whole.
func (e *event) readParams() {
	if e.s.Kind() != splice.Object {
		e.addLeaves([]byte("params"))
		return
	}
	e.s.Enter()
	for e.s.Next() {
		key := e.s.Key()
		if kind := e.s.Kind(); string(key) != "data" || kind > splice.Array {
			e.addLeaves(key)
			continue
		}
		if at := e.s.Skip(); e.s.Err() == nil {
			e.addWhole(at)
		}
	}
}

func (e *event) addLeaves(key []byte) {
	leaves.VisitTexts(e.s, e.doc, zerocopy.String(key), func(_ string, at splice.Span) { e.addString(at) })
}

// scanNonText consumes a value that is not text, and shows what of it does not look like that.
func (e *event) scanNonText() { scan.ScanNonText(e.s, e.doc, e.addString) }

func (e *event) addOddStrings(from int) {
	if e.s.Err() == nil {
		scan.VisitOddStrings(e.doc, splice.Span{Start: from, End: e.s.Pos()}, e.addString)
	}
}

// addString adds the content of a string.
func (e *event) addString(at splice.Span) {
	e.addWhole(splice.Span{Start: at.Start - 1, End: at.End + 1})
}

// addWhole adds a value of JSON as a text of which nothing is held back.
func (e *event) addWhole(at splice.Span) {
	e.ev.Deltas = append(e.ev.Deltas, core.Delta{
		Part: core.Part{Kind: core.KindToolResult, Choice: scan.Aside}, Span: scan.ShiftSpan(at, e.base), JSON: true,
	})
}
