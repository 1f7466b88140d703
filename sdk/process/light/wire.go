package light

import (
	"encoding/binary"
	"errors"
	"math"
	"strconv"
)

var errWire = errors.New("a message is malformed")

// visitFields calls each with every field of a message: its number, and its value as a number or as bytes.
func visitFields(b []byte, each func(number uint64, value uint64, data []byte)) error {
	for len(b) > 0 {
		tag, n := binary.Uvarint(b)
		if n <= 0 {
			return errWire
		}
		b = b[n:]
		value, data := uint64(0), []byte(nil)
		switch tag & 7 {
		case 0:
			if value, n = binary.Uvarint(b); n <= 0 {
				return errWire
			}
			b = b[n:]
		case 2:
			size, n := binary.Uvarint(b)
			if n <= 0 || size > uint64(len(b)-n) {
				return errWire
			}
			data, b = b[n:n+int(size)], b[n+int(size):]
		case 1, 5:
			size := map[uint64]int{1: 8, 5: 4}[tag&7]
			if len(b) < size {
				return errWire
			}
			b = b[size:]
		default:
			return errWire
		}
		each(tag>>3, value, data)
	}
	return nil
}

func appendNumber(b []byte, field int, value uint64) []byte {
	if value == 0 {
		return b
	}
	return binary.AppendUvarint(binary.AppendUvarint(b, uint64(field)<<3), value)
}

func appendData(b []byte, field int, data []byte) []byte {
	b = binary.AppendUvarint(b, uint64(field)<<3|2)
	return append(binary.AppendUvarint(b, uint64(len(data))), data...)
}

func appendText(b []byte, field int, text string) []byte {
	if text == "" {
		return b
	}
	return appendData(b, field, []byte(text))
}

func encodeHello(h *Hello, streams bool) (b []byte) {
	b = appendText(appendText(b, 1, h.Name), 2, h.Version)
	for _, p := range h.Phases {
		b = appendNumber(b, 3, uint64(p))
	}
	for _, f := range h.Fields {
		b = appendText(b, 4, f)
	}
	for _, t := range h.Texts {
		b = appendText(b, 5, t)
	}
	if streams {
		b = appendNumber(b, 8, 1)
	}
	return appendNumber(b, 9, uint64(h.StreamBytes))
}

func encodeVerdict(v *Verdict) (b []byte) {
	b = appendNumber(b, 1, uint64(v.Action))
	for _, f := range v.Findings {
		one := appendSpan(nil, f.Segment, f.Start, f.End)
		one = appendNumber(appendText(one, 4, f.Label), 5, 2) // of a detector
		one = append(one, 6<<3|5)
		one = binary.LittleEndian.AppendUint32(one, math.Float32bits(1))
		b = appendData(b, 2, one)
	}
	for _, e := range v.Edits {
		b = appendData(b, 3, appendText(appendText(appendSpan(nil, e.Segment, e.Start, e.End), 4, e.With), 5, e.Type))
	}
	if v.Action == Answer {
		b = appendData(b, 7, appendText(appendText(nil, 1, v.Reply), 2, "text/plain"))
	}
	if v.Action == Block {
		b = appendData(b, 8, appendText(nil, 3, v.Message))
	}
	if len(v.Keep) > 0 {
		b = appendData(b, 10, v.Keep)
	}
	return appendNumber(b, 11, uint64(v.Hold))
}

func appendSpan(b []byte, segment, start, end uint32) []byte {
	return appendNumber(appendNumber(appendNumber(b, 1, uint64(segment)), 2, uint64(start)), 3, uint64(end))
}

// textFields and numberFields are the fields of Exchange by their numbers.
var (
	textFields = map[uint64]string{
		1: "model", 2: "tenant", 3: "key_id", 4: "key_name", 5: "user", 6: "dialect", 7: "route", 8: "provider", 9: "target", 10: "region",
		13: "effort", 14: "exchange", 15: "trace", 22: "outcome", 24: "digest", 25: "task", 26: "finish",
	}
	numberFields = map[uint64]string{11: "stream", 12: "max_tokens", 20: "status", 23: "cost"}
)

func decodeCheck(b []byte) (c *Check, err error) {
	c = &Check{Fields: map[string]string{}}
	var failed error
	err = visitFields(b, func(number, value uint64, data []byte) {
		switch number {
		case 1:
			c.Phase = Phase(value)
		case 2:
			failed = errors.Join(failed, visitFields(data, func(n, v uint64, text []byte) {
				if name := textFields[n]; name != "" {
					c.Fields[name] = string(text)
				} else if name = numberFields[n]; name != "" {
					c.Fields[name] = strconv.FormatInt(int64(v), 10)
				} else if n == 17 {
					c.Tools = append(c.Tools, string(text))
				}
			}))
		case 3:
			var s Segment
			failed = errors.Join(failed, visitFields(data, func(n, v uint64, text []byte) {
				switch n {
				case 1:
					s.Role = uint32(v)
				case 2:
					s.Kind = uint32(v)
				case 3:
					s.Joined = v != 0
				case 4:
					s.Path = string(text)
				case 5:
					s.Text = string(text)
				}
			}))
			c.Segments = append(c.Segments, s)
		case 4:
			c.Kept = data
		}
	})
	return c, errors.Join(err, failed)
}

func decodeWindow(b []byte) (w *Window, err error) {
	w = new(Window)
	err = visitFields(b, func(number, value uint64, data []byte) {
		switch number {
		case 2:
			w.Kind = uint32(value)
		case 6:
			w.Text = string(data)
		case 7:
			w.Sent = int(value)
		case 8:
			w.Fresh = int(value)
		case 9:
			w.Last = value != 0
		}
	})
	if err == nil && (w.Sent > len(w.Text) || w.Fresh > len(w.Text)) {
		err = errWire
	}
	return w, err
}
