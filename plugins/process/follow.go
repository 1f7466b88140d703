package process

import (
	"context"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// releaseWindow releases the whole window, and shows the plugin its new text in pieces of the size that it requests.
func (f *filter) releaseWindow(ctx context.Context, wait *pending, w core.Window) (core.Verdict, int, error) {
	v := core.Verdict{Action: core.Pass}
	wait.text = append(wait.text, w.Text[w.New:]...)
	if !w.Last && (len(wait.text) == 0 || len(wait.text) < f.s.p.agreed.streamBytes) {
		return v, 0, nil
	}
	text := string(wait.text)
	wait.text = wait.text[:0]
	if w.Last {
		f.removePending(wait)
	}
	err := f.call(ctx, abi.PhaseResponse, func(ctx context.Context) *pb.FromHost {
		return &pb.FromHost{Body: &pb.FromHost_Window{Window: &pb.Window{
			Stream: f.id, Kind: pb.Kind(w.Part.Kind), Choice: w.Part.Choice, Index: w.Part.Index, Form: uint32(w.Part.Form),
			Text: text, Sent: uint32(len(text)), Last: w.Last, TimeoutMs: measureTimeLeft(ctx),
		}}}
	}, func(m *pb.FromPlugin) string {
		r := reader{unit: f.s.p.agreed.unit, phase: core.Response, link: f.s.spec.Link, segments: []*pb.Segment{{Text: text}}}
		if wrong := r.read(m.GetVerdict(), &v); wrong != "" {
			return wrong
		}
		if m.GetVerdict().GetHold() > 0 || len(v.Edits) > 0 {
			return "the plugin holds back or edits a stream that it only follows"
		}
		return ""
	})
	if err != nil {
		return core.Verdict{}, 0, err
	}
	for i := range v.Findings {
		v.Findings[i].Start, v.Findings[i].End = 0, 0 // positions do not refer to the window
	}
	f.storeKept(&v)
	return v, 0, nil
}
