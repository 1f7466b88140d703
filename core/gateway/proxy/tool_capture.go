package proxy

import (
	"github.com/headgate-dev/headgate/core/dialect/mcp"
	"github.com/headgate-dev/headgate/core/records/capture"
)

// beginCapture starts a draft of a valid message, if it is captured. Its dialect is not the call's: the recorder reads the
// message later, when the call is over.
func (t *toolCall) beginCapture() {
	c := t.call
	if c.kept = c.proxy.Capture.Begin(&c.x, new(mcp.Stored)); c.kept == nil || t.Method != mcp.MethodCallTool {
		return
	}
	known := capture.Tool{Annotations: c.snap.Servers.FindAnnotations(t.name, t.Target)}
	if c.proxy.Offers != nil {
		known.Offered, known.Requested = c.proxy.Offers.FindUse(c.x.Principal, t.Target, c.x.Received)
	}
	c.kept.AddTool(known)
}
