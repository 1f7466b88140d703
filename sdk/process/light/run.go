package light

import (
	"encoding/binary"
	"errors"
	"io"
	"net/http"
	"os"
	"sync"
)

// handler serves gRPC: a message is a byte that is 0, its length in four bytes, and the message.
type handler struct{ plugin Plugin }

// Numbers of the calls in FromHost, and of the answers in FromPlugin.
const (
	callConfigure, callCheck, callOpen, callWindow, callEnd, callClose, callFinish, callCancel = 2, 3, 4, 5, 6, 7, 8, 9
	answerHello, answerReady, answerVerdict, answerOpened, answerDone, answerFailed            = 2, 3, 4, 5, 6, 7
)

// unknownMethod is the status that gRPC has for a method that a server does not serve.
const unknownMethod = "12"

// ServeHTTP serves one call of gRPC.
func (h *handler) ServeHTTP(w http.ResponseWriter, r *http.Request) {
	w.Header().Set("Content-Type", "application/grpc")
	switch r.URL.Path {
	case "/headgate.process.v1.Stage/Run":
		s := &session{plugin: h.plugin, w: w, flush: http.NewResponseController(w)}
		_ = s.run(r.Body) // the stream's end is the plugin's
		os.Exit(0)
	case "/plugin.GRPCController/Shutdown":
		os.Exit(0)
	}
	w.Header().Set("Grpc-Status", unknownMethod)
}

// session answers what comes over the one stream.
type session struct {
	plugin Plugin
	mu     sync.Mutex // of w
	w      io.Writer
	flush  *http.ResponseController
}

func (s *session) run(body io.Reader) error {
	hello := s.plugin.Hello()
	_, streams := s.plugin.(Streamer)
	if err := s.send(0, answerHello, encodeHello(&hello, streams)); err != nil {
		return err
	}
	for {
		message, err := readMessage(body)
		if err != nil {
			return err
		}
		go s.answer(message)
	}
}

func readMessage(body io.Reader) ([]byte, error) {
	var head [5]byte
	if _, err := io.ReadFull(body, head[:]); err != nil {
		return nil, err
	}
	size := binary.BigEndian.Uint32(head[1:])
	if head[0] != 0 || size > maxMessage {
		return nil, errWire
	}
	message := make([]byte, size)
	_, err := io.ReadFull(body, message)
	return message, err
}

func (s *session) send(id uint64, kind int, answer []byte) error {
	message := appendData(appendNumber(nil, 1, id), kind, answer)
	frame := append(binary.BigEndian.AppendUint32([]byte{0}, uint32(len(message))), message...)
	s.mu.Lock()
	defer s.mu.Unlock()
	if _, err := s.w.Write(frame); err != nil {
		return err
	}
	return s.flush.Flush()
}

// answer answers one message. Write errors mean that the gateway has left, which ends run.
func (s *session) answer(message []byte) {
	var id, kind uint64
	var body []byte
	err := visitFields(message, func(number, value uint64, data []byte) {
		if number == 1 {
			id = value
			return
		}
		kind, body = number, data
	})
	if kind == callCancel {
		return // the answer comes as soon as it can
	}
	reply, answer := 0, []byte(nil)
	if err == nil {
		reply, answer, err = s.call(kind, body)
	}
	if err != nil {
		reply, answer = answerFailed, appendText(nil, 1, err.Error())
	}
	_ = s.send(id, reply, answer)
}

func (s *session) call(kind uint64, body []byte) (reply int, answer []byte, err error) {
	switch kind {
	case callConfigure:
		var config []byte
		err = visitFields(body, func(number, _ uint64, data []byte) {
			if number == 2 {
				config = data
			}
		})
		if err == nil {
			err = s.plugin.Configure(config)
		}
		return answerReady, nil, err
	case callCheck:
		c, err := decodeCheck(body)
		if err != nil {
			return 0, nil, err
		}
		v, err := s.plugin.Check(c)
		return answerVerdict, encodeVerdict(&v), err
	case callOpen:
		if _, ok := s.plugin.(Streamer); !ok {
			return answerOpened, appendNumber(nil, 1, 1), nil
		}
		return answerOpened, nil, nil
	case callWindow:
		streamer, ok := s.plugin.(Streamer)
		if !ok {
			return 0, nil, errors.New("it judges no streams")
		}
		w, err := decodeWindow(body)
		if err != nil {
			return 0, nil, err
		}
		v, err := streamer.Window(w)
		return answerVerdict, encodeVerdict(&v), err
	case callClose, callFinish:
		return answerDone, nil, nil
	case callEnd:
		v := Verdict{Action: Pass}
		return answerVerdict, encodeVerdict(&v), nil
	}
	return 0, nil, errors.New("unknown call")
}
