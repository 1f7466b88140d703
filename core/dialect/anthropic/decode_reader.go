package anthropic

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// decoder reads a validated request into the neutral model. It uses the scanner of the
// scan, so both agree on which keys they know.
type decoder struct {
	s   *splice.Scanner
	doc []byte
	r   *llm.Request
	err *core.Error
}

func (d *decoder) fail(e *core.Error) {
	if d.err == nil {
		d.err = e
	}
}

// drop skips a value that no other dialect has and counts it, unless it is null.
func (d *decoder) drop(name string) {
	if d.s.Kind() != splice.Null {
		d.r.RecordDropped(name)
	}
	d.s.Skip()
}

// readText reads a string and skips any other value.
func (d *decoder) readText() string {
	return scan.ReadAlias(d.s, d.doc)
}

func (d *decoder) readNumber() llm.Number {
	if d.s.Kind() != splice.Number {
		d.s.Skip()
		return ""
	}
	at := d.s.Number()
	return llm.Number(zerocopy.String(d.doc[at.Start:at.End]))
}

func (d *decoder) readFlag() *bool { return scan.ReadFlag(d.s) }

// readRaw returns a value as it is spelled, or nil for null.
func (d *decoder) readRaw() json.RawMessage { return scan.ReadRaw(d.s, d.doc) }

// enter opens an object or array of the wanted kind and skips any other value.
func (d *decoder) enter(want splice.Kind) bool {
	if d.s.Kind() != want {
		d.s.Skip()
		return false
	}
	return d.s.Enter()
}

func (d *decoder) readStrings() (list []string) {
	if !d.enter(splice.Array) {
		return nil
	}
	for d.s.Next() {
		list = append(list, d.readText())
	}
	return list
}
