package mcp

import (
	"context"
	"io"
	"net/http"
	"strconv"

	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/gateway/tools"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
)

// JSON-RPC error codes of servers without an endpoint.
const (
	NumberMethodNotFound = -32601
	NumberInvalidParams  = -32602
)

// localAnswer is an answer that the gateway writes itself.
type localAnswer struct {
	head tools.Head
	body []byte // nil if no message follows
}

func (l *localAnswer) Head() tools.Head { return l.head }

func (l *localAnswer) Next(_ context.Context, isResponse func([]byte) (bool, error)) ([]byte, error) {
	if l.body == nil {
		return nil, io.EOF
	}
	out := l.body
	l.body = nil
	if _, err := isResponse(out); err != nil {
		return nil, err
	}
	return out, nil
}

func (*localAnswer) Close() error { return nil }

// NewAcceptedAnswer returns the answer to a message that has no response.
func NewAcceptedAnswer() tools.Answer {
	return &localAnswer{head: tools.Head{Status: http.StatusAccepted, Accepted: true}}
}

// NewResultAnswer returns an answer with a result, which is JSON. id is the raw id of the request.
func NewResultAnswer(id, result []byte) tools.Answer {
	b := make([]byte, 0, len(id)+len(result)+40)
	b = append(append(b, `{"jsonrpc":"2.0","id":`...), id...)
	b = append(append(append(b, `,"result":`...), result...), '}')
	return &localAnswer{head: tools.Head{Status: http.StatusOK}, body: b}
}

// NewErrorAnswer returns an answer with an error.
func NewErrorAnswer(id []byte, number int, message string) tools.Answer {
	b := append(append([]byte(`{"jsonrpc":"2.0","id":`), id...), `,"error":{"code":`...)
	b = append(strconv.AppendInt(b, int64(number), 10), `,"message":`...)
	b = append(splice.AppendString(b, message), "}}"...)
	return &localAnswer{head: tools.Head{Status: http.StatusOK}, body: b}
}

// Guard finds credentials of the gateway in answers.
type Guard struct{ secrets [][]byte }

// NewGuard returns a guard for the credentials in header fields. Fields that hold none are ignored.
func NewGuard(header []upstream.Field) Guard { return Guard{listSecrets(header)} }

// Check returns ErrCredential for an answer that repeats a credential.
func (g Guard) Check(data []byte) error { return checkSecrets(g.secrets, data) }
