package bedrock

import (
	"bytes"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"hash/crc32"
	"net/http"
	"strings"

	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream"
	"github.com/aws/aws-sdk-go-v2/aws/protocol/eventstream/eventstreamapi"

	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/llm"
)

const (
	prelude  = 12 // two lengths and their checksum
	checksum = 4
	maxFrame = 16 << 20
)

// statuses maps exceptions of a stream to HTTP statuses.
var statuses = map[string]int{
	"AccessDeniedException":         http.StatusForbidden,
	"InternalServerException":       http.StatusInternalServerError,
	"ModelErrorException":           http.StatusFailedDependency,
	"ModelNotReadyException":        http.StatusTooManyRequests,
	"ModelStreamErrorException":     http.StatusFailedDependency,
	"ModelTimeoutException":         http.StatusRequestTimeout,
	"ResourceNotFoundException":     http.StatusNotFound,
	"ServiceQuotaExceededException": http.StatusBadRequest,
	"ServiceUnavailableException":   http.StatusServiceUnavailable,
	"ThrottlingException":           http.StatusTooManyRequests,
	"ValidationException":           http.StatusBadRequest,
}

// DecodeStream reads the event stream of a ConverseStream call.
func (ConverseWire) DecodeStream() wire.StreamDecoder {
	return &decoder{framer: framer{frames: eventstream.NewDecoder()}}
}

// decoder reads the frames of a stream. events interprets them.
type decoder struct {
	events
	framer
}

// framer splits a stream into frames.
type framer struct {
	frames  *eventstream.Decoder
	buf     []byte
	reader  bytes.Reader
	payload []byte
	// like holds the bytes of the last decoded headers, which repeat from one delta to
	// the next.
	like    []byte
	headers eventstream.Headers
}

// Decode reads whole frames and keeps the rest of b.
func (d *decoder) Decode(b []byte, emit func(*llm.Event) error) error {
	return d.split(b, func(m *eventstream.Message) error { return d.readMessage(m, emit) })
}

// split hands each frame that b completes to read, and keeps the rest of b.
func (d *framer) split(b []byte, read func(*eventstream.Message) error) error {
	d.buf = append(d.buf, b...)
	at := 0
	defer func() { d.buf = append(d.buf[:0], d.buf[at:]...) }()
	for {
		n, err := readFrameLength(d.buf[at:])
		if err != nil {
			return err
		}
		if n == 0 || len(d.buf)-at < n {
			return nil
		}
		m, err := d.decodeFrame(d.buf[at : at+n])
		at += n
		if err != nil {
			return fmt.Errorf("broken event stream: %w", err)
		}
		if err := read(&m); err != nil {
			return err
		}
	}
}

// decodeFrame decodes one frame. AWS's decoder needs some forty allocations for the
// three headers of a delta, so headers equal to those of the previous frame are reused.
// The checksum is still verified.
func (d *framer) decodeFrame(b []byte) (eventstream.Message, error) {
	end := len(b) - checksum
	headers := prelude + int(binary.BigEndian.Uint32(b[4:8]))
	if headers <= end && len(d.like) > 0 && bytes.Equal(b[prelude:headers], d.like) {
		if crc32.ChecksumIEEE(b[:end]) != binary.BigEndian.Uint32(b[end:]) {
			return eventstream.Message{}, eventstream.ChecksumError{}
		}
		return eventstream.Message{Headers: d.headers, Payload: b[headers:end]}, nil
	}
	d.reader.Reset(b)
	m, err := d.frames.Decode(&d.reader, d.payload[:0])
	if err != nil {
		return m, err
	}
	d.payload, d.headers = m.Payload, m.Headers
	d.like = append(d.like[:0], b[prelude:headers]...)
	return m, nil
}

// Close ends an answer whose usage never came.
func (d *decoder) Close(emit func(*llm.Event) error) error { return d.emitEnd(emit) }

// readFrameLength returns the length of the frame at the start of b, or 0 if b is too short.
// It verifies the checksum of the lengths first: with a wrong length the decoder would
// wait for the rest of the stream.
func readFrameLength(b []byte) (int, error) {
	if len(b) < prelude {
		return 0, nil
	}
	if crc32.ChecksumIEEE(b[:8]) != binary.BigEndian.Uint32(b[8:]) {
		return 0, errors.New("broken event stream: the checksum of a frame's lengths is wrong")
	}
	n := binary.BigEndian.Uint32(b)
	if n < prelude+checksum || n > maxFrame {
		return 0, fmt.Errorf("broken event stream: a frame of %d bytes", n)
	}
	return int(n), nil
}

// readMessage reads a frame by the type in its headers.
func (d *decoder) readMessage(m *eventstream.Message, emit func(*llm.Event) error) error {
	switch readHeader(m, eventstreamapi.MessageTypeHeader) {
	case eventstreamapi.EventMessageType:
		return d.readEvent(readHeader(m, eventstreamapi.EventTypeHeader), m.Payload, emit)
	case eventstreamapi.ExceptionMessageType:
		return d.emitException(readHeader(m, eventstreamapi.ExceptionTypeHeader), m.Payload, emit)
	case eventstreamapi.ErrorMessageType:
		code := readHeader(m, eventstreamapi.ErrorCodeHeader)
		return d.emitFailure(&llm.Failure{Status: statuses[code], Code: code, Message: readHeader(m, eventstreamapi.ErrorMessageHeader)}, emit)
	}
	return nil
}

func readHeader(m *eventstream.Message, name string) string {
	if s, ok := m.Headers.Get(name).(eventstream.StringValue); ok {
		return string(s)
	}
	return ""
}

// emitException emits the provider's error. In a stream its name starts with a
// lower-case letter.
func (d *decoder) emitException(name string, payload []byte, emit func(*llm.Event) error) error {
	name, message := readException(name, payload)
	return d.emitFailure(&llm.Failure{Status: statuses[name], Code: name, Message: message}, emit)
}

// readException returns the name of an exception as it is spelled outside of streams, and its text.
func readException(name string, payload []byte) (code, message string) {
	if name != "" {
		name = strings.ToUpper(name[:1]) + name[1:]
	}
	var v struct {
		Message string `json:"message"`
	}
	_ = json.Unmarshal(payload, &v) // an exception without a text is one still
	return name, v.Message
}
