package proxy

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/dialect/wire"
	"github.com/headgate-dev/headgate/core/gateway/upstream"
	"github.com/headgate-dev/headgate/core/llm"
)

// prompts returns the number of calls that the request needs.
func (c *call) prompts() int {
	if b, ok := c.d.(wire.Batcher); ok {
		return b.Prompts(&c.x)
	}
	return 1
}

// askEach makes one call per prompt, in order, and sends all answers as one. If a later call fails, the usage of the
// earlier ones is still booked.
func (c *call) askEach(ctx context.Context, plan []core.TargetRef, n int) *core.Error {
	var all llm.Response
	var last *upstream.Response
	size := 0
	for c.prompt = range n {
		a, res, e := c.askOne(ctx, plan)
		if e != nil {
			c.x.Usage = all.Usage
			return e
		}
		if size += len(c.answer); size > maxAnswer { // of all prompts together
			c.x.Usage = all.Usage.Add(a.Usage)
			return c.invalidAnswer("it is too large")
		}
		if last == nil {
			all = *a
		} else {
			all.Choices = append(all.Choices, a.Choices...)
			all.Usage = all.Usage.Add(a.Usage)
		}
		last = res
	}
	c.tr.usage = all.Usage
	c.out = c.tr.client.Encode(c.out[:0], c.tr.req, &all)
	return c.refuseRetry(c.sendWhole(ctx, last, c.out))
}

// askOne makes the calls for one prompt.
func (c *call) askOne(ctx context.Context, plan []core.TargetRef) (*llm.Response, *upstream.Response, *core.Error) {
	defer c.endAttempts()
	res, e := c.send(ctx, plan)
	for e == nil {
		var a *llm.Response
		if a, e = c.answerOf(ctx, res); e == nil {
			c.acceptAnswer()
			return a, res, nil
		}
		res, e = c.retry(ctx, e)
	}
	return nil, nil, e
}

// answerOf decodes a whole answer into the neutral model.
func (c *call) answerOf(ctx context.Context, res *upstream.Response) (*llm.Response, *core.Error) {
	defer func() { _ = res.Body.Close() }() // the rest of the answer is not needed
	if e := c.checkReadable(res); e != nil {
		return nil, e
	}
	body, e := c.readWhole(ctx, res)
	if e != nil {
		return nil, e
	}
	a, err := c.tr.wire.DecodeResponse(body)
	if err != nil {
		return nil, c.unusableAnswer(body, err)
	}
	return c.tr.low.Response(a), nil
}

// nextStream makes the call for the next prompt of a streamed request.
func (c *call) nextStream(ctx context.Context, plan []core.TargetRef) (upstream.Body, error) {
	before := c.tr.usage
	c.x.Usage = before // earlier answers are booked even if this call fails
	c.prompt++
	c.endAttempts()
	res, e := c.send(ctx, plan)
	if e != nil {
		return nil, e
	}
	c.acceptAnswer() // the client already has the answers to earlier prompts
	if e := c.checkReadable(res); e != nil {
		_ = res.Body.Close()
		return nil, e
	}
	c.tr.before, c.tr.usage = before, before
	return res.Body, nil
}
