package openai

import (
	"encoding/json"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/core/llm"
)

// readObject reads an object. known consumes a member and reports true, or leaves it to
// be dropped.
func (d *chatDecoder) readObject(name string, known func(key string) bool) {
	if d.s.Kind() != splice.Object {
		d.drop(name)
		return
	}
	d.s.Enter()
	for d.s.Next() {
		key := string(d.s.Key())
		if !known(key) {
			d.drop(name + "." + key)
		}
	}
}

// visitElements calls one for each element of an array.
func (d *chatDecoder) visitElements(name string, one func(n int)) {
	if d.s.Kind() != splice.Array {
		d.drop(name)
		return
	}
	d.s.Enter()
	for n := 0; d.s.Next(); n++ {
		one(n)
	}
}

// readText reads a string. It drops any other value under name.
func (d *chatDecoder) readText(name string) string {
	if d.s.Kind() != splice.String {
		d.drop(name)
		return ""
	}
	return scan.ReadText(d.s, d.doc)
}

func (d *chatDecoder) readNumber(name string) llm.Number {
	if d.s.Kind() != splice.Number {
		d.drop(name)
		return ""
	}
	return scan.ReadNumber(d.s, d.doc)
}

func (d *chatDecoder) readTrue() bool {
	on := d.s.Kind() == splice.True
	d.s.Skip()
	return on
}

func (d *chatDecoder) readFlag() *bool { return scan.ReadFlag(d.s) }

// readRaw copies an object and drops any other value.
func (d *chatDecoder) readRaw(name string) json.RawMessage {
	if d.s.Kind() != splice.Object {
		d.drop(name)
		return nil
	}
	at := d.s.Skip()
	return json.RawMessage(string(d.doc[at.Start:at.End]))
}
