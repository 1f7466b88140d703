package socket

import (
	"bytes"
	"context"
	"encoding/json"
	"net/http"

	"github.com/headgate-dev/headgate/core"
)

// wholeAnswer is the answer of an exchange that is not streamed.
type wholeAnswer struct {
	header http.Header
	status int
	body   bytes.Buffer
}

func newRefusal(e *core.Error) *wholeAnswer {
	w := &wholeAnswer{header: http.Header{}, status: e.HTTPStatus()}
	w.body.Write(liveShape.AppendError(nil, e))
	return w
}

// Header returns the header of the answer.
func (w *wholeAnswer) Header() http.Header { return w.header }

// WriteHeader notes the status.
func (w *wholeAnswer) WriteHeader(status int) { w.status = status }

func (w *wholeAnswer) Write(b []byte) (int, error) {
	if w.status == 0 {
		w.status = http.StatusOK
	}
	return w.body.Write(b)
}

// Flush has nothing to do.
func (w *wholeAnswer) Flush() {}

// readRefusal returns the answer as an error.
func (w *wholeAnswer) readRefusal() (e *core.Error, typ string) {
	return readRefusal(w.status, w.body.Bytes())
}

// readRefusal reads an error body of the gateway.
func readRefusal(status int, body []byte) (e *core.Error, typ string) {
	var doc struct {
		Error struct {
			Type, Code, Message, Param string
		} `json:"error"`
	}
	_ = json.Unmarshal(body, &doc) // the gateway has written it
	return &core.Error{Status: status, Code: doc.Error.Code, Public: doc.Error.Message, Param: doc.Error.Param}, doc.Error.Type
}

// sendRefusal tells the client about a refused exchange. It returns false if the session must end.
func (l *live) sendRefusal(ctx context.Context, cause string, w *wholeAnswer) bool {
	e, typ := w.readRefusal()
	sent := l.send(ctx, liveShape.AppendRefusal(nil, newEventID(), cause, typ, e))
	if sent && l.s.o.Denied(w.status, e.Code) {
		l.close(1008, "the key is no longer accepted")
		return false
	}
	return sent
}
