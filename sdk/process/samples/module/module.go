package main

import (
	"context"
	"encoding/binary"
	"encoding/json"
	"errors"
	"fmt"
	"os"
	"slices"
	"strings"
	"sync"
	"sync/atomic"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/plugins/process/pb"
	"github.com/headgate-dev/headgate/sdk/process"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// module is a WebAssembly plugin as the stage of a process.
type module struct {
	source   []byte
	manifest wasm.Manifest
	cache    string
	grant    process.Grant
	plugin   wasm.Plugin
	lines    []string    // that the module wrote until it was ready
	ready    atomic.Bool // it has accepted its settings
	line     atomic.Pointer[string]

	mu     sync.Mutex
	kept   map[uint64]any // by number: what the plugin keeps for an exchange
	last   uint64
	oldest uint64
}

var (
	_ core.StreamStage = (*module)(nil)
	_ core.Finisher    = (*module)(nil)
	_ core.Closer      = (*module)(nil)
	_ process.Grantee  = (*module)(nil)
)

// own are fields that the host of modules itself reads.
var own = []string{
	"exchange", "model", "dialect", "stream", "task", "tenant", "key_id", "provider", "target", "region", "status", "outcome", "finish",
}

// Manifest requests what the module's manifest does.
func (m *module) Manifest() process.Manifest {
	out := process.Manifest{
		Name: m.manifest.Name, Version: m.manifest.Version, Fields: append([]string(nil), own...),
		Texts: m.manifest.Reads.Text, State: m.manifest.Asks(abi.CapabilityState),
	}
	if !m.manifest.IsStage() && len(out.Texts) == 0 {
		out.Texts = pb.Texts
	}
	for _, f := range m.manifest.Reads.Fields {
		if !slices.Contains(out.Fields, f) {
			out.Fields = append(out.Fields, f)
		}
	}
	for _, c := range pb.Capabilities {
		if c != pb.CapabilityState && m.manifest.Asks(c) {
			out.Capabilities = append(out.Capabilities, c)
		}
	}
	for _, p := range []core.Phase{core.Request, core.Target, core.Response} {
		if m.runsIn(p) {
			out.Phases = append(out.Phases, p)
		}
	}
	return out
}

// runsIn reports whether the module is called in a phase. One that judges only the end of streams is called about answers.
func (m *module) runsIn(p core.Phase) bool {
	names := m.manifest.Phases
	if len(names) == 0 {
		return m.manifest.PhaseSet().Has(p)
	}
	return slices.Contains(names, p.String()) || p == core.Response && slices.Contains(names, "stream_end")
}

// SetGrant stores what the operator grants.
func (m *module) SetGrant(g process.Grant) { m.grant = g }

// Configure loads the module with the settings of the link.
func (m *module) Configure(config []byte) error {
	ctx := context.Background()
	for _, c := range pb.Capabilities {
		if m.manifest.Asks(c) && !slices.Contains(m.grant.Capabilities, c) {
			return fmt.Errorf("the module asks for the capability %q, which is not granted, or which the gateway does not have", c)
		}
	}
	var s wasm.Settings
	if len(config) > 0 {
		if err := json.Unmarshal(config, &s); err != nil {
			return fmt.Errorf("config: %w", err)
		}
	}
	settings, err := s.Config()
	if err != nil {
		return err
	}
	o := wasm.LoadOptions{
		Source: m.source, Name: m.manifest.Name, Config: settings, Limits: wasm.Limits{Timeout: 30 * time.Second, Memory: 64 << 20},
		Log: m.log,
	}
	if m.cache != "" {
		if o.Cache, err = wasm.OpenCache(m.cache, wasm.Child{}); err != nil {
			return err
		}
	}
	v, err := wasm.Load(ctx, o)
	if err != nil {
		return fmt.Errorf("%w: %s", err, strings.Join(m.lines, "; "))
	}
	m.ready.Store(true)
	m.plugin, err = wasm.NewPlugin(v, wasm.Options{
		Link: m.manifest.Name, Settings: s, State: state{}, Services: newServices(), Remote: &remote,
		Answer: func(_ *core.Exchange, text string) (*core.Payload, error) { return process.Text(text), nil },
		Grant: foreign.Grant{
			Fields: copyList(m.grant.Fields), Text: copyList(m.grant.Texts), Scopes: m.grant.Scopes, Upstreams: m.grant.Upstreams,
		},
	})
	if err != nil {
		v.Release(ctx)
	}
	return err
}

// log writes a line of the module. What it says of its settings is part of the error that refuses them.
func (m *module) log(_ abi.Level, text string, _ int) {
	if !m.ready.Load() {
		m.lines = append(m.lines, text)
		return
	}
	m.line.Store(&text)
	fmt.Fprintln(os.Stderr, text)
}

// copyList returns a list that grants nothing for one that is not there, which would grant everything.
func copyList(list []string) []string { return append([]string{}, list...) }

// Close releases the module.
func (m *module) Close(ctx context.Context) error {
	if m.plugin == nil {
		return nil
	}
	return m.plugin.Close(ctx)
}

// Check implements core.Stage.
func (m *module) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	k, err := m.find(kept)
	if err != nil {
		return core.Verdict{}, err
	}
	v, err := m.plugin.Check(ctx, x, p, k)
	if err != nil {
		if line := m.line.Swap(nil); line != nil { // most probably it says why
			err = fmt.Errorf("%w: %s", err, *line)
		}
		return v, err
	}
	if most := wasm.AnswerLimit(v.Keep); most > 0 && p == core.Request {
		process.KeepAnswer(ctx, most)
	}
	m.store(&v, kept)
	return v, nil
}

// Finish implements core.Finisher.
func (m *module) Finish(ctx context.Context, x *core.Exchange, kept any) {
	k, err := m.find(kept)
	if t, ok := m.plugin.(core.Finisher); ok && err == nil {
		t.Finish(ctx, x, k)
	}
	if n, ok := readNumber(kept); ok {
		m.mu.Lock()
		delete(m.kept, n)
		m.mu.Unlock()
	}
}

// maxKept bounds the exchanges whose state is kept: the gateway does not tell the end of one whose call it gave up.
const maxKept = 1 << 16

var errLost = errors.New("what the module keeps for the exchange was lost, because the process was restarted")

// find returns what the plugin keeps for an exchange. The gateway keeps its number.
func (m *module) find(kept any) (any, error) {
	n, ok := readNumber(kept)
	if !ok {
		return nil, nil
	}
	m.mu.Lock()
	defer m.mu.Unlock()
	k, ok := m.kept[n]
	if !ok {
		return nil, errLost
	}
	return k, nil
}

// store replaces what the plugin keeps in a verdict by its number.
func (m *module) store(v *core.Verdict, kept any) {
	if v.Keep == nil {
		return
	}
	n, known := readNumber(kept)
	m.mu.Lock()
	defer m.mu.Unlock()
	if !known {
		m.last++
		n = m.last
	}
	m.kept[n] = v.Keep
	for len(m.kept) > maxKept {
		m.oldest++
		delete(m.kept, m.oldest)
	}
	v.Keep = binary.LittleEndian.AppendUint64(nil, n)
}

func readNumber(kept any) (n uint64, ok bool) {
	b, _ := kept.([]byte)
	if len(b) != 8 {
		return 0, false
	}
	return binary.LittleEndian.Uint64(b), true
}
