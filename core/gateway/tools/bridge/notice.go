package bridge

import (
	"context"
	"errors"
	"io"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/splice"
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/gateway/tools"
)

// readSubscription reads what a request subscriptions/listen, or its acknowledgement, asks for.
func readSubscription(body []byte) (mcp.Subscription, error) {
	var s splice.Scanner
	sub, e := mcp.ReadSubscription(&s, body)
	if e != nil {
		return sub, e
	}
	return sub, nil
}

// formatListen writes a request of the gateway's own for notifications.
func formatListen(c client, sub mcp.Subscription) []byte {
	params := append(appendMember([]byte{'{'}, "notifications", sub.Append(nil)), '}')
	return formatRequest(newID(), mcp.MethodListen, convertModernParams(params, c, nil))
}

// formatTag writes the _meta that names the subscription of a client by the id of its request.
func formatTag(id []byte) []byte {
	return append(appendMember([]byte{'{'}, mcp.MetaSubscription, id), '}')
}

// formatAcknowledgement writes the first message of a modern client's stream: what it will hear about.
func formatAcknowledgement(id []byte, sub mcp.Subscription) []byte {
	params := appendMember([]byte{'{'}, "_meta", formatTag(id))
	params = append(appendMember(params, "notifications", sub.Append(nil)), '}')
	return formatRequest("", mcp.NoticeAcknowledged, params)
}

// formatListenEnd writes the response that ends a modern client's stream.
func formatListenEnd(id []byte) []byte {
	result := append(appendMember([]byte(`{"resultType":"complete"`), "_meta", formatTag(id)), '}')
	return formatResponse(string(id), "result", result)
}

// formatNotice writes a notification with the params of another one. tag is the _meta; nil: the legacy era has none.
func formatNotice(method string, params, tag []byte) []byte {
	out := []byte{'{'}
	if tag != nil {
		out = appendMember(out, "_meta", tag)
	}
	visitMembers(params, func(key string, value []byte) {
		if key != "_meta" {
			out = appendMember(out, key, value)
		}
	})
	return formatRequest("", method, append(out, '}'))
}

// listening is a stream of a modern server that the gateway itself listens to.
type listening struct {
	tools.Answer

	call   *mcp.Call
	x      core.Exchange
	agreed mcp.Subscription
	cancel func()
}

// Close ends the stream.
func (l *listening) Close() error {
	l.cancel()
	if l.Answer == nil {
		return nil
	}
	return l.Answer.Close()
}

// listen asks a modern server for notifications, and waits until it has acknowledged that.
func listen(ctx context.Context, up tools.Upstream, m *tools.Message, c client, sub mcp.Subscription) (*listening, error) {
	body := formatListen(c, sub)
	call, _, err := scanMessage(body, mcp.Modern, mcp.ModernVersion)
	if err != nil {
		return nil, err
	}
	l := &listening{call: call}
	ctx, l.cancel = context.WithCancel(ctx)
	tooLate := time.AfterFunc(openTime, l.cancel)
	err = l.begin(ctx, up, &tools.Message{Call: call, Body: body, Header: m.Header, Principal: m.Principal})
	if !tooLate.Stop() && err == nil {
		err = context.DeadlineExceeded
	}
	if err != nil {
		_ = l.Close()
		return nil, err
	}
	return l, nil
}

// begin opens the stream and reads its first message.
func (l *listening) begin(ctx context.Context, up tools.Upstream, m *tools.Message) (err error) {
	if l.Answer, err = tools.Listen(ctx, up, m); err != nil {
		return err
	}
	data, method, err := l.readNotice(ctx)
	if err == nil && method != mcp.NoticeAcknowledged {
		err = errInvalid
	}
	if err == nil {
		l.agreed, err = readSubscription(data)
	}
	return err
}

// readNotice returns the next notification and its method. It returns io.EOF when the server ends the stream, and
// [tools.ErrCannotListen] if it has refused it.
func (l *listening) readNotice(ctx context.Context) (data []byte, method string, err error) {
	form := mcp.Result
	data, err = l.Next(ctx, func(data []byte) (_ bool, err error) {
		form, err = l.call.ReadForm(&l.x, data)
		return form.IsResponse(), err
	})
	switch {
	case errors.Is(err, io.EOF):
		return nil, "", io.EOF
	case err != nil:
		return nil, "", err
	case form == mcp.Failure, !l.Head().Streamed && findMember(data, "error") != nil:
		return nil, "", tools.ErrCannotListen
	case form != mcp.Notification:
		return nil, "", io.EOF
	}
	return data, readText(findMember(data, "method")), nil
}
