package process

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// readBody returns the whole of a body, if the plugin may see it.
func (a *agreed) readBody(body *core.Payload) ([]byte, error) {
	if !a.body {
		return nil, nil
	}
	return body.AppendBody(nil)
}

// keptAnswer is the answer that Finish brings, as it reached the stage.
type keptAnswer struct {
	most  int
	body  []byte
	whole bool // body has all of the answer so far
}

// keepAnswer notes that the plugin wants the answer. It returns what is wrong with that, or "".
func (o *own) keepAnswer(v *pb.Verdict, p core.Phase, a *agreed) string {
	switch {
	case v.KeepAnswer == 0:
		return ""
	case !a.body || p != core.Request:
		return "the plugin asks for the answer in a phase other than the request's, or without the capability body"
	}
	o.answer = &keptAnswer{most: int(min(v.KeepAnswer, abi.MaxBody))}
	return ""
}

// storeAnswer keeps an answer that is not streamed.
func (k *keptAnswer) storeAnswer(x *core.Exchange) error {
	if k == nil {
		return nil
	}
	k.body, k.whole = k.body[:0], false
	b, err := x.Response.AppendBody(nil)
	if err != nil || len(b) > k.most {
		return err
	}
	k.body, k.whole = b, true
	return nil
}

// readAnswer returns the answer, or nil if it is not complete.
func (k *keptAnswer) readAnswer() []byte {
	if k == nil || !k.whole {
		return nil
	}
	return k.body
}

// AddEvent adds one event of a stream, while the answer is short enough.
func (k *keptAnswer) AddEvent(raw []byte) {
	if k.whole = k.whole && len(k.body)+len(raw) <= k.most; k.whole {
		k.body = append(k.body, raw...)
		return
	}
	k.body = nil
}

// TapStage is a stage with the capability body. It reads streamed answers event by event, which a stage that sees texts cannot.
type TapStage struct{ *Stage }

var _ core.Tapper = TapStage{}

// Tap keeps a streamed answer if the plugin asked for it in the request.
func (s TapStage) Tap(_ context.Context, _ *core.Exchange, kept any) (core.Tap, error) {
	o, _ := kept.(*own)
	if o == nil || o.answer == nil {
		return nil, nil
	}
	o.answer.body, o.answer.whole = o.answer.body[:0], true
	return o.answer, nil
}

// Wrap returns the stage for a link of the chain. A plugin with the capability body reads streamed answers as a whole, unless its link is
// silent: a chain has taps only for links in force.
func (s *Stage) Wrap() core.Stage {
	if s.p.agreed.body && !s.spec.Silent {
		return TapStage{s}
	}
	return s
}
