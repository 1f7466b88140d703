package node

import (
	"context"
	"errors"
	"sync"
	"sync/atomic"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/gateway/proxy"
	"github.com/headgate-dev/headgate/plugins/remote"
	"github.com/headgate-dev/headgate/stages/guardrail"
)

// newModelCaller returns stages.Host.Chat for the models that a proxy serves, once it is stored.
func newModelCaller(serving *atomic.Pointer[proxy.Proxy]) func(context.Context, *core.Principal, string, []byte) (int, []byte, error) {
	return func(ctx context.Context, by *core.Principal, link string, body []byte) (status int, reply []byte, err error) {
		p := serving.Load()
		if p == nil {
			return 0, nil, errors.New("the gateway is not listening yet")
		}
		return p.RequestVerdict(ctx, by, link, body)
	}
}

// localScanner returns the detectors whose score decides whether a guard of a vendor is asked.
var localScanner = sync.OnceValues(func() (*guardrail.Scanner, error) {
	return guardrail.NewNamedScannerOf("prompt_injection", "jailbreak")
})

// localScanners are copies of it, each for one goroutine at a time.
var localScanners sync.Pool

// scoreLocally returns the score of the built-in detectors of prompt injections and jailbreaks for a window. A window that cannot
// be judged here gets 1, so that the guard of the vendor is asked.
func scoreLocally(ctx context.Context, p *remote.Piece) float32 {
	s, _ := localScanners.Get().(*guardrail.Scanner)
	if s == nil {
		base, err := localScanner()
		if err != nil {
			return 1
		}
		fresh := *base
		s = &fresh
	}
	score := s.Score(ctx, p.Text, p.Kind == core.KindToolResult || p.Role == core.RoleTool)
	localScanners.Put(s) // not after a panic, which may leave the scanner in any state
	return score
}
