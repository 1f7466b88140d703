package equal

import (
	"context"
	"errors"
	"path/filepath"
	"strings"
	"sync"
	"testing"
	"time"

	"github.com/headgate-dev/headgate/core/chain"
	"github.com/headgate-dev/headgate/core/dialect"
	"github.com/headgate-dev/headgate/plugins/process"
	"github.com/headgate-dev/headgate/sdk/project/guests"
	"github.com/headgate-dev/headgate/wasm"
)

// said are the lines that processes have written.
var said struct {
	sync.Mutex
	lines []string
}

// asProcess runs a sample in a process of its own: the sample module hosts it there.
func asProcess(t testing.TB, name, config string, o wasm.Options) (chain.Link, error) {
	t.Helper()
	file := filepath.Join(guests.Sample(t, name), name+".wasm")
	block := map[string]any{
		"settings": parseYAML(t, config), "action": o.Settings.Action, "labels": o.Settings.Labels, "sources": o.Settings.Sources,
	}
	said.Lock()
	said.lines = nil
	said.Unlock()
	st, err := openHost(t).OpenStage(context.Background(), process.Spec{
		Link: name, File: "module", Args: []string{"-cache", guests.CompilationFolder(t), file}, Config: settings(block),
		Grant: o.Grant, Services: o.Services, State: o.State, Answer: dialect.BuildAnswer,
		Timeout: 30 * time.Second, Calls: 1024, StartTimeout: 2 * time.Minute,
	})
	if err != nil {
		said.Lock()
		defer said.Unlock()
		return chain.Link{}, errors.New(err.Error() + ": " + strings.Join(said.lines, "; "))
	}
	return chain.Link{Name: name, Stage: st.Wrap(), Phases: st.Phases(), Mode: chain.Enforce, OnFault: chain.FaultBlocks}, nil
}

var hosts struct {
	sync.Once
	one *process.Host
}

// openHost returns the host of all processes, so that cases with the same settings share one.
func openHost(t testing.TB) *process.Host {
	hosts.Do(func() {
		hosts.one = process.NewHost(process.Options{Dir: guests.Processes(t), Log: func(_, text string, _ int) {
			said.Lock()
			said.lines = append(said.lines, text)
			said.Unlock()
			lastLine.Store(&text)
		}})
	})
	return hosts.one
}

// settings are a link's config block.
type settings map[string]any

// Decode copies the block.
func (s settings) Decode(into any) error {
	*into.(*map[string]any) = s
	return nil
}
