package node

import (
	"context"
	"fmt"
	"maps"
	"slices"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/core/manage/admin"
	"github.com/headgate-dev/headgate/core/server"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process"
	"github.com/headgate-dev/headgate/providers/mcp/stdio"
)

// folder is the plugins folder: its modules, and the processes started from it. commands runs MCP servers, which the
// configuration names instead.
type folder struct {
	*plugins.Dir
	processes *process.Host
	commands  *stdio.Host
}

// openFolder opens modules and processes. decided is called when a candidate is promoted or rejected.
func openFolder(cfg *config.Config, log func(text string), decided func()) (*folder, error) {
	dir, err := OpenPlugins(cfg, log, decided)
	if err != nil {
		return nil, err
	}
	logServer := func(server, text string) { log("mcp_servers." + server + ": " + text) }
	return &folder{dir, process.NewHost(process.Options{
		Dir: cfg.Plugins.Dir, Trusts: dir.CheckTrust,
		Log: func(link, text string, dropped int) {
			if dropped > 0 {
				text = fmt.Sprintf("%s (%d lines dropped)", text, dropped)
			}
			log(link + ": " + text)
		},
	}), stdio.NewHost(logServer)}, nil
}

// buildProcess builds the stage of a process link and starts the process if necessary.
func (d *folder) buildProcess(ctx context.Context, l *config.Link, state core.State, offers foreign.Services) (*process.Stage, error) {
	spec := process.Spec{
		Link: l.Name, File: l.Process, Args: l.Args, SHA256: l.SHA256, Config: l.Config, Plaintext: l.Plaintext,
		Timeout: l.Timeout, StartTimeout: l.StartTimeout, Calls: l.Limits.Instances, State: state, Answer: dialect.BuildAnswer,
		Grant: convertGrant(l), Services: offers, Silent: l.Mode == config.Shadow,
	}
	for _, name := range slices.Sorted(maps.Keys(l.Env)) {
		spec.Env = append(spec.Env, name+"="+l.Env[name].Reveal())
	}
	if d.Dir != nil {
		d.WatchFile(l.Process)
	}
	return d.processes.OpenStage(ctx, spec)
}

// convertProcessStatus converts the state of a process for the status document.
func convertProcessStatus(s process.Stats) server.Plugin {
	faults := make(map[string]uint64, len(s.Faults))
	for outcome, n := range s.Faults {
		faults[string(outcome)] = n
	}
	return server.Plugin{
		File:   s.File,
		Name:   s.Name,
		Digest: s.Digest,
		Process: &admin.PluginProcess{
			Link:     s.Link,
			Version:  s.Version,
			State:    s.State,
			Restarts: s.Restarts,
			Calls:    s.Calls,
			BusyMs:   s.Busy.Milliseconds(),
			Faults:   faults,
		},
	}
}
