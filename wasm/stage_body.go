package wasm

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/body/zerocopy"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// tapStage is a stage with the capability body. It reads streamed answers event by event, which a stage that sees texts cannot.
type tapStage struct{ *FullStage }

var _ core.Tapper = (*tapStage)(nil)

// newStagePlugin returns a stage as a link. In shadow and as a candidate a stage keeps no streamed answers, because a chain has taps only
// for links in force.
func newStagePlugin(v *Version, o *Options, see view) (Plugin, error) {
	s, err := newFullStage(v, o, see)
	if err != nil {
		return nil, err
	}
	if v.Manifest.Kind == abi.KindHTTP {
		if err := s.prepareHTTP(o); err != nil {
			return nil, err
		}
	}
	if v.Manifest.has(abi.CapabilityBody) && !s.silent {
		return &tapStage{s}, nil
	}
	return s, nil
}

// Tap keeps a streamed answer if the guest asked for it in the request.
func (s *tapStage) Tap(_ context.Context, _ *core.Exchange, kept any) (core.Tap, error) {
	k, _ := kept.(*exchangeState)
	if k == nil || k.answer == nil {
		return nil, nil
	}
	k.answer.body, k.answer.whole = k.answer.body[:0], true
	return k.answer, nil
}

// keptAnswer is the answer that a stage reads when the exchange has ended, as it reached the stage.
type keptAnswer struct {
	most  int
	body  []byte
	whole bool // body has all of the answer so far
}

// AddEvent adds one event of a stream, while the answer is short enough.
func (a *keptAnswer) AddEvent(raw []byte) {
	if a.whole = a.whole && len(a.body)+len(raw) <= a.most; a.whole {
		a.body = append(a.body, raw...)
		return
	}
	a.body = nil
}

// storeAnswer keeps an answer that is not streamed if the guest asked for it.
func (k *exchangeState) storeAnswer(x *core.Exchange) error {
	if k == nil || k.answer == nil {
		return nil
	}
	a := k.answer
	a.body, a.whole = a.body[:0], false
	b, err := x.Response.AppendBody(nil)
	if err != nil || len(b) > a.most {
		return err
	}
	a.body, a.whole = append(a.body, b...), true
	return nil
}

func handleAnswerKeep(c *talk, i *instance, stack []uint64) {
	c.charge(i, 0)
	if c.phase != abi.PhaseRequest {
		endWithBreach("it asks to keep the answer in a phase other than the request's")
	}
	c.ensureState().answer = &keptAnswer{most: int(min(uint32(stack[0]), abi.MaxBody))}
}

func handleBodyRead(c *talk, i *instance, stack []uint64) {
	c.charge(i, 0)
	if !c.s.see.seesAll() {
		stack[0] = uint64(abi.NotGranted)
		return
	}
	body, ok := c.readWholeBody(i)
	if !ok {
		stack[0] = uint64(abi.NoValue)
		return
	}
	c.charge(i, len(body))
	stack[0] = copyText(i, stack[0], stack[1], zerocopy.String(body))
}

// readWholeBody returns the request's body as the links before have changed it, and in the phase finish the kept answer.
func (c *talk) readWholeBody(i *instance) ([]byte, bool) {
	if c.s.remote != nil {
		b := c.s.remote.Body(i.call.parent)
		return b, len(b) > 0
	}
	if c.phase == abi.PhaseFinish {
		if c.kept == nil || c.kept.answer == nil || !c.kept.answer.whole || len(c.kept.answer.body) == 0 {
			return nil, false
		}
		return c.kept.answer.body, true
	}
	if c.more.whole == nil && c.body != nil {
		b, err := c.body.AppendBody(nil)
		if err != nil {
			return nil, false
		}
		c.more.whole = b
	}
	return c.more.whole, len(c.more.whole) > 0
}
