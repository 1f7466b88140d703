package node

import (
	"context"
	"fmt"
	"path/filepath"
	"time"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins/process"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
)

func init() { tryAdapters["process"] = (*Trial).buildProcess }

// tryStart is the default start timeout of a process.
const tryStart = time.Minute

// buildProcess builds the link of a process plugin. It starts the process for each case unless it is running.
func (t *Trial) buildProcess(ctx context.Context, l *config.Link, dir string, d cases.Given) (m cases.Made, err error) {
	where, file := t.Locate(l.Process, dir)
	host := t.hosts[filepath.Join(where, file)]
	if host == nil {
		host = &folder{processes: process.NewHost(process.Options{Dir: where, Log: func(_, text string, _ int) {
			_, _ = fmt.Fprintf(t.log, "%s: %s\n", file, text) // a closed terminal cannot be reported
		}})}
		t.hosts[filepath.Join(where, file)] = host
	}
	l.Process, l.Name = file, d.Name
	if l.Timeout == 0 {
		l.Timeout = tryTime
	}
	if l.StartTimeout == 0 {
		l.StartTimeout = tryStart
	}
	st, err := host.buildProcess(ctx, l, d.State, d.Offers)
	if err != nil {
		return m, err
	}
	m.Link = newLink(l, d.Name, st.Wrap(), st.Phases())
	return m, nil
}
