package policy

import (
	"bytes"
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/scan"
	"github.com/headgate-dev/headgate/stages/policy/dsl"
)

// shapeEmbeddings is the shape that contains texts but requests no generated answer.
const shapeEmbeddings = "openai.embeddings"

// readBody reads the inputs that no dialect extracts from a request, if rules need them. It knows the members of all shapes
// by their names; requests with members of another form were refused by the dialect's scan.
func (w *work) readBody(raw []byte, needs dsl.Attrs) {
	s, f := &w.scan, &w.f
	s.Reset(raw)
	if s.Kind() != splice.Object {
		return
	}
	system, talks := false, false
	inside := needs&(1<<dsl.HasFiles|1<<dsl.SystemMissing) != 0
	s.Enter()
	for s.Next() {
		switch string(s.Key()) {
		case "temperature":
			w.readTemperature(raw)
		case "generationConfig", "generation_config":
			w.visitMembers(func(key string) {
				if key == "temperature" {
					w.readTemperature(raw)
				} else {
					s.Skip()
				}
			})
		case "metadata":
			w.readMetadata(raw)
		case "tools":
			w.readToolTypes(raw)
		case "system", "instructions", "systemInstruction", "system_instruction":
			system = w.isFilled(raw) || system
		case "messages", "input", "contents":
			talks = f.Shape != shapeEmbeddings // which has an input, and no messages
			if !inside {
				s.Skip()
				break
			}
			w.visitElements(func() { system = w.readMessage(raw) || system })
		default:
			s.Skip()
		}
	}
	f.SystemMissing = talks && !system
}

// visitMembers calls each with every name of an object, and skips any other value. each must consume the member's value.
func (w *work) visitMembers(each func(key string)) { scan.VisitMembers(&w.scan, each) }

// visitElements iterates over an array; anything else is skipped.
func (w *work) visitElements(each func()) {
	if w.scan.Kind() != splice.Array {
		w.scan.Skip()
		return
	}
	w.scan.Enter()
	for w.scan.Next() {
		each()
	}
}

// readScalar returns a value as text, or "" for null, objects and arrays.
func (w *work) readScalar(raw []byte) string {
	s := &w.scan
	switch s.Kind() {
	case splice.String:
		at, _ := s.String()
		if s.Err() != nil {
			return ""
		}
		return string(splice.AppendText(nil, raw[at.Start:at.End]))
	case splice.Number, splice.True, splice.False:
		at := s.Skip()
		return string(raw[at.Start:at.End])
	}
	s.Skip()
	return ""
}

func (w *work) readTemperature(raw []byte) {
	if w.scan.Kind() != splice.Number {
		w.scan.Skip()
		return
	}
	at := w.scan.Number()
	v, err := strconv.ParseFloat(string(raw[at.Start:at.End]), 64)
	if err == nil {
		w.f.Temperature, w.f.HasTemperature = v, true
	}
}

func (w *work) readMetadata(raw []byte) {
	w.visitMembers(func(key string) {
		if w.f.Metadata == nil {
			w.f.Metadata = map[string]string{}
		}
		w.f.Metadata[key] = w.readScalar(raw)
	})
}

// isFilled reports whether a value is not empty: text, or a list or object with at least one value.
func (w *work) isFilled(raw []byte) bool {
	at := w.scan.Skip()
	return at.Len() > 2 && !bytes.Equal(raw[at.Start:at.End], []byte("null"))
}
