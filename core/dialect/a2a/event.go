package a2a

import (
	"errors"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
)

var errArtifacts = errors.New("the stream has too many artifacts")

// maxArtifacts limits the artifacts of one stream.
const maxArtifacts = 1024

// ScanEvent reads a response of a stream, which Peek has read before. The texts of an artifact continue in later
// events; all others are complete.
func (c *Call) ScanEvent(x *core.Exchange, ev *core.Event) error {
	x.Scanner.MaxDepth = maxDepth
	defer func() { x.Scanner.MaxDepth = 0 }()
	data, base, _ := scan.ReadEventData(ev, &c.joined)
	e := event{c: c, ev: ev, s: &x.Scanner, doc: data, base: base}
	if err := scan.OpenObject(e.s, data, errNotObject); err != nil {
		return err
	}
	for e.s.Next() {
		key, kind := e.s.Key(), e.s.Kind()
		switch name := string(key); {
		case name == "result" && kind == splice.Object:
			e.readObject(true)
		case name == "id" || name == "jsonrpc":
			scan.ScanNonText(e.s, e.doc, e.addString)
		default:
			e.addLeaves(key)
		}
	}
	if e.s.End(); e.s.Err() != nil {
		return e.s.Err()
	}
	ev.Done = c.Answer.Last
	return e.resolveArtifact()
}

// event is the state of one scan.
type event struct {
	c    *Call
	ev   *core.Event
	s    *splice.Scanner
	doc  []byte
	base int // where doc begins in the event

	isUpdate     bool // the event holds an artifact
	inArtifact   bool
	of           artifact
	texts        []int // deltas that are texts of the artifact
	append, last bool
}

// readObject reads a result, a task, a message, a status, an artifact or an update; top is true for those that can be an update.
func (e *event) readObject(top bool) {
	for e.s.Enter(); e.s.Next(); {
		key, kind := e.s.Key(), e.s.Kind()
		name := string(key)
		switch {
		case name == "parts" && kind == splice.Array:
			e.readParts()
		case name == "artifact" && kind == splice.Object && top:
			e.isUpdate, e.inArtifact = true, true
			e.readObject(false)
			e.inArtifact = false
		case isStructure(name, kind) && kind == splice.Object:
			e.readObject(top && name == "artifactUpdate")
		case isStructure(name, kind):
			for e.s.Enter(); e.s.Next(); {
				if e.s.Kind() == splice.Object {
					e.readObject(false)
				} else {
					e.addLeaves([]byte(name))
				}
			}
		case top && (name == "append" || name == "lastChunk"):
			on := scan.ReadFlag(e.s)
			if name == "append" {
				e.append = on != nil && *on
			} else {
				e.last = on != nil && *on
			}
		case kind == splice.String && top && name == "taskId":
			e.of.task = e.readID()
		case kind == splice.String && top && name == "contextId":
			e.of.context = e.readID()
		case kind == splice.String && e.inArtifact && name == "artifactId":
			e.of.id = e.readID()
		default:
			e.addLeaves(key)
		}
	}
}

// readID reads an identifier, and shows it to the guards if it is not spelled like one.
func (e *event) readID() string {
	at, _ := e.s.String()
	if e.s.Err() != nil {
		return ""
	}
	if !scan.IsPlain(e.doc[at.Start:at.End]) {
		e.addString(at)
	}
	return string(splice.AppendText(nil, e.doc[at.Start:at.End]))
}

func (e *event) readParts() {
	for e.s.Enter(); e.s.Next(); {
		if e.s.Kind() != splice.Object {
			e.addLeaves([]byte("parts"))
			continue
		}
		media, holds := "", false
		e.readPart(&media, &holds, false)
		if holds && !scan.IsPicture(media) && e.c.Answer.Opaque == "" { // no link is shown a file in a stream
			e.c.Answer.Opaque = formatOpaqueName(media)
		}
	}
}

func (e *event) readPart(media *string, holds *bool, inFile bool) {
	for e.s.Enter(); e.s.Next(); {
		key, kind := e.s.Key(), e.s.Kind()
		switch name := string(key); {
		case name == "text" && kind == splice.String && !inFile:
			at, _ := e.s.String()
			if e.s.Err() == nil && at.Len() > 0 {
				e.addText(at)
			}
		case name == "data" && !inFile:
			if at := e.s.Skip(); e.s.Err() == nil {
				e.addWhole(at)
			}
		case name == "file" && kind == splice.Object && !inFile:
			e.readPart(media, holds, true)
		case name == "mediaType" || name == "mimeType":
			if kind != splice.String {
				e.addLeaves(key)
				continue
			}
			*media = e.readID()
		case kind == splice.String && isBytes(name, inFile):
			*holds = true
			e.s.Skip()
		default:
			e.addLeaves(key)
		}
	}
}

// addText adds a text of a part. Texts of artifacts continue in later events.
func (e *event) addText(at splice.Span) {
	if !e.inArtifact {
		e.addString(at)
		return
	}
	e.texts = append(e.texts, len(e.ev.Deltas))
	e.ev.Deltas = append(e.ev.Deltas, core.Delta{
		Part: core.Part{Kind: core.KindToolResult}, Span: scan.ShiftSpan(at, e.base), Depth: 1,
	})
}

func (e *event) addLeaves(key []byte) {
	leaves.VisitTexts(e.s, e.doc, zerocopy.String(key), func(_ string, at splice.Span) { e.addString(at) })
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

// resolveArtifact finds out which artifact the texts belong to, once all members are known: a chunk continues the
// artifact, and anything else replaces it.
func (e *event) resolveArtifact() error {
	if !e.isUpdate {
		return nil
	}
	c, at := e.c, -1
	for i := len(c.artifacts) - 1; i >= 0 && at < 0; i-- {
		if c.artifacts[i].id == e.of.id {
			at = i
		}
	}
	if at >= 0 && !e.append {
		e.ev.Closes = append(e.ev.Closes, int32(at))
		at = -1
	}
	if at < 0 {
		if len(c.artifacts) == maxArtifacts {
			return errArtifacts
		}
		at = len(c.artifacts)
		c.artifacts = append(c.artifacts, e.of)
	}
	for _, i := range e.texts {
		e.ev.Deltas[i].Part.Choice = int32(at)
	}
	if e.last {
		e.ev.Closes = append(e.ev.Closes, int32(at))
	}
	return nil
}

// AppendDelta appends a chunk of an artifact with a text that was held back.
func (c *Call) AppendDelta(dst, _ []byte, p core.Part, text string) []byte {
	if p.Choice < 0 || int(p.Choice) >= len(c.artifacts) {
		return dst // nothing else is held back
	}
	a := &c.artifacts[p.Choice]
	dst = append(append(dst, "event: message\ndata: {\"jsonrpc\":\"2.0\",\"id\":"...), c.ID...)
	if c.Version == Version10 {
		dst = append(dst, `,"result":{"artifactUpdate":{"taskId":`...)
	} else {
		dst = append(dst, `,"result":{"kind":"artifact-update","taskId":`...)
	}
	dst = splice.AppendString(dst, a.task)
	dst = splice.AppendString(append(dst, `,"contextId":`...), a.context)
	dst = splice.AppendString(append(dst, `,"artifact":{"artifactId":`...), a.id)
	if c.Version == Version10 {
		dst = splice.AppendString(append(dst, `,"parts":[{"text":`...), text)
		return append(dst, `}]},"append":true}}}`+"\n\n"...)
	}
	dst = splice.AppendString(append(dst, `,"parts":[{"kind":"text","text":`...), text)
	return append(dst, `}]},"append":true}}`+"\n\n"...)
}
