package node

import (
	"context"
	"fmt"
	"io"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/records/policies/policydoc"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/stages"
)

// Check builds everything that a configuration asks for, without serving, and returns the number of links in its chain.
// It writes conflicts between policies to errOut.
func Check(ctx context.Context, cfg *config.Config, errOut io.Writer) (links int, err error) {
	dir, err := openFolder(cfg, func(string) {}, nil)
	if err != nil {
		return 0, err
	}
	file, err := ListFilePolicies(cfg)
	if err != nil {
		return 0, err
	}
	for _, i := range NewPolicyLanguage(cfg).FindConflicts(filterActive(file)) {
		if i.Level != policydoc.IssueInfo {
			_, _ = fmt.Fprintln(errOut, "warning:", i) // a closed terminal cannot be reported
		}
	}
	rt, err := buildRuntime(
		ctx,
		cfg,
		dir,
		nil,
		stages.Host{State: state.NewMemory(state.Options{}), Policies: newPolicySource(nil, nil).buildView(file, nil)},
		nil,
		func(file string) bool { return isYetToBePulled(cfg, file) },
	)
	if err != nil {
		return 0, err
	}
	links = countWrittenLinks(rt.Chain)
	rt.Release()
	return links, rt.WaitUntilClosed(ctx)
}
