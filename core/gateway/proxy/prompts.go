package proxy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// countPrompts returns the number of calls that the request needs.
func (c *call) countPrompts() int {
	if b, ok := c.d.(wire.Batcher); ok {
		return b.CountPrompts(&c.x)
	}
	return 1
}

// completePrompts makes one call per prompt, in order, and sends all answers as one. If a later call fails, the usage
// of the earlier ones is still booked.
func (a *answer) completePrompts(ctx context.Context, plan []core.TargetRef, n int) *core.Error {
	var all llm.Response
	var last *upstream.Response
	size := 0
	for a.call.prompt = range n {
		part, res, e := a.completePrompt(ctx, plan)
		if e != nil {
			a.call.x.Usage = all.Usage
			return e
		}
		size += len(a.received)
		if a.earlier = int64(size); size > maxAnswer { // of all prompts together
			a.call.x.Usage = all.Usage.Add(part.Usage)
			return a.call.attempts.newInvalidAnswerError("too large")
		}
		if last == nil {
			all = *part
		} else {
			all.Choices = append(all.Choices, part.Choices...)
			all.Usage = all.Usage.Add(part.Usage)
		}
		last = res
	}
	a.tr.usage = all.Usage
	a.call.out = a.tr.client.Encode(a.call.out[:0], a.tr.req, &all)
	return a.newRetryError(a.sendWhole(ctx, last, a.call.out))
}

// completePrompt makes the calls for one prompt.
func (a *answer) completePrompt(ctx context.Context, plan []core.TargetRef) (*llm.Response, *upstream.Response, *core.Error) {
	defer a.call.attempts.reportLastCall()
	res, e := a.call.attempts.callTargets(ctx, plan)
	for e == nil {
		var part *llm.Response
		if part, e = a.decodeWhole(ctx, res); e == nil {
			a.call.attempts.accept()
			return part, res, nil
		}
		res, e = a.call.attempts.retryAttempt(ctx, e)
	}
	return nil, nil, e
}

// decodeWhole decodes a whole answer into the neutral model.
func (a *answer) decodeWhole(ctx context.Context, res *upstream.Response) (*llm.Response, *core.Error) {
	defer func() { _ = res.Body.Close() }() // the rest of the answer is not needed
	if e := a.checkReadable(res); e != nil {
		return nil, e
	}
	body, e := a.readWhole(ctx, res)
	if e != nil {
		return nil, e
	}
	whole, err := a.tr.wire.DecodeResponse(body)
	if err != nil {
		return nil, a.call.attempts.mapDecodeError(body, err)
	}
	return a.tr.low.RestoreResponse(whole), nil
}

// openNextStream calls the provider for the next prompt of a streamed request.
func (a *answer) openNextStream(ctx context.Context, plan []core.TargetRef) (upstream.Body, error) {
	before := a.tr.usage
	a.call.x.Usage = before // earlier answers are booked even if this call fails
	a.call.prompt++
	a.call.attempts.reportLastCall()
	res, e := a.call.attempts.callTargets(ctx, plan)
	if e != nil {
		return nil, e
	}
	a.call.attempts.accept() // the client already has the answers to earlier prompts
	if e := a.checkReadable(res); e != nil {
		_ = res.Body.Close()
		return nil, e
	}
	a.tr.before, a.tr.usage = before, before
	return res.Body, nil
}
