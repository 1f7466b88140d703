package node

import (
	"context"
	"errors"
	"fmt"
	"io"
	"net"
	"net/url"
	"os"
	"path/filepath"
	"time"

	"github.com/headgate-dev/headgate/plugins/outside"
	"github.com/headgate-dev/headgate/plugins/remote"

	"github.com/headgate-dev/headgate/core/config"
	"github.com/headgate-dev/headgate/plugins"
	"github.com/headgate-dev/headgate/sdk/stagetest/cases"
	"github.com/headgate-dev/headgate/stages"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// tryTime is the default call timeout of a case. It is long, so that a slow machine fails no case; a gateway uses the
// host's defaults.
const tryTime = 10 * time.Second

// Trial builds the stages that cases test.
type Trial struct {
	cache string
	dirs  map[string]*plugins.Dir // by folder
	hosts map[string]*folder      // of processes, by path
	log   io.Writer
}

// tryAdapters build the link of each kind of stage, by the kind's name in the configuration.
var tryAdapters = map[string]func(t *Trial, ctx context.Context, l *config.Link, dir string, d cases.Given) (cases.Made, error){
	"stage":   (*Trial).buildBuiltin,
	"wasm":    (*Trial).buildModule,
	"webhook": (*Trial).buildWebhook,
	"guard":   (*Trial).buildGuard,
}

func NewTrial(f *Options, log io.Writer) (*Trial, error) {
	named := ""
	if f.Config != "" || len(f.Set) > 0 {
		cfg, _, err := f.Load()
		if err != nil {
			return nil, err
		}
		named = cfg.Plugins.CacheDir
	}
	cache, err := FindPluginCache(named)
	return NewTrialWith(cache, log), err
}

// NewTrialWith returns a Trial that caches compiled modules in a folder, or not at all if it is "".
func NewTrialWith(cache string, log io.Writer) *Trial {
	return &Trial{cache: cache, dirs: map[string]*plugins.Dir{}, hosts: map[string]*folder{}, log: log}
}

// MeasureInstance returns the memory of one instance of a module in bytes, or 0 before the first instance.
func (t *Trial) MeasureInstance(path, dir string) (bytes int64) {
	folder, _ := t.Locate(path, dir)
	for _, s := range t.dirs[folder].Stats() {
		if s.Instances > 0 {
			bytes = s.Memory / int64(s.Instances)
		}
	}
	return bytes
}

// BuildLink returns a cases.Maker.
func (t *Trial) BuildLink(ctx context.Context, l *config.Link, dir string, d cases.Given) (cases.Made, error) {
	adapter := tryAdapters[l.Kind()]
	if adapter == nil {
		return cases.Made{}, fmt.Errorf("a link of the kind %q cannot be tested alone", l.Kind())
	}
	return adapter(t, ctx, l, dir, d)
}

func (t *Trial) buildBuiltin(_ context.Context, l *config.Link, _ string, d cases.Given) (m cases.Made, err error) {
	st, err := stages.New(
		l.Stage,
		l.Config,
		stages.Host{Name: d.Name, Tokens: d.Tokens, State: d.State, Now: d.Now, Links: d.Links, Chain: d.Chain},
	)
	if err != nil {
		return m, err
	}
	m.Link = newLink(l, d.Name, st, stages.FindPhases(l.Stage))
	m.Link.Redacts = stages.Redacts(l.Stage)
	return m, nil
}

func (t *Trial) buildModule(ctx context.Context, l *config.Link, dir string, d cases.Given) (m cases.Made, err error) {
	folder, file := t.Locate(l.Wasm, dir)
	plugin, err := t.open(folder)
	if err != nil {
		return m, err
	}
	if l.Timeout == 0 {
		l.Timeout = tryTime
	}
	deps := buildModuleDeps(l, d.Name, &stages.Host{State: d.State, Offers: d.Offers})
	st, err := plugin.OpenStage(ctx, file, l.Config, convertLimits(l), deps)
	if plugins.IsMissing(err) {
		return m, fmt.Errorf("%w; build it first, with headgate plugin build", err)
	}
	if err != nil {
		return m, err
	}
	v := st.Version()
	m.Link, m.Labels, m.Fuel = newLink(l, d.Name, st, v.Manifest.PhaseSet()), v.Manifest.Labels, func() uint64 { return v.Stats().Fuel }
	return m, nil
}

// Locate returns a module's folder and file. A module named by --module is outside the case file's folder.
func (t *Trial) Locate(path, dir string) (folder, file string) {
	if !filepath.IsAbs(path) {
		path = filepath.Join(dir, filepath.FromSlash(path))
	}
	return filepath.Dir(path), filepath.Base(path)
}

// open opens a folder of modules, once.
func (t *Trial) open(folder string) (*plugins.Dir, error) {
	if d := t.dirs[folder]; d != nil {
		return d, nil
	}
	exe, err := os.Executable()
	if err != nil {
		exe = "" // compile in this process
	}
	d, err := plugins.Open(plugins.Options{
		Dir: folder, Trust: plugins.TrustOpen, CacheDir: t.cache, Child: wasm.Child{Exe: exe, Args: []string{"plugin", "compile"}},
		Log: func(file string, level abi.Level, text string, _ int) {
			if level >= abi.LevelWarn { // authors need to see why settings are refused
				_, _ = fmt.Fprintf(t.log, "%s: %s\n", file, text) // a closed terminal cannot be reported
			}
		},
	})
	if err != nil {
		return nil, err
	}
	t.dirs[folder] = d
	return d, nil
}

// buildWebhook builds the link of a receiver on this machine, because a test must not send text elsewhere.
func (t *Trial) buildWebhook(_ context.Context, l *config.Link, _ string, _ cases.Given) (m cases.Made, err error) {
	u, err := url.Parse(l.Webhook)
	if err != nil {
		return m, errors.New("webhook: is not a URL; write http://127.0.0.1:port/path")
	}
	if !isLoopback(u) {
		return m, errors.New("webhook: a test calls this machine only; write http://127.0.0.1:port/path and run the receiver here")
	}
	l.AllowPrivate = true
	if l.FailMode == config.FailOpen {
		l.OnFault = config.FaultPass
	}
	st, err := buildWebhook(l, nil)
	if err != nil {
		return m, err
	}
	m.Link = newLink(l, l.Name, st, remote.Phases)
	return m, nil
}

// buildGuard builds the link of a vendor's guard that runs on this machine, for the same reason.
func (t *Trial) buildGuard(_ context.Context, l *config.Link, _ string, _ cases.Given) (m cases.Made, err error) {
	s, err := outside.ReadSettings(l.Config)
	if err != nil {
		return m, err
	}
	if l.Guard == outside.Judge {
		return m, errors.New("guard: a judge is a model of a running gateway, so it cannot be tested alone")
	}
	if u, err := url.Parse(s.URL); err != nil || !isLoopback(u) {
		return m, errors.New("config.url: a test calls this machine only; write http://127.0.0.1:port/path and run the guard here")
	}
	l.AllowPrivate = true
	st, err := buildGuard(l, nil, &stages.Host{})
	if err != nil {
		return m, err
	}
	m.Link = newLink(l, l.Name, st, remote.Phases)
	return m, nil
}

func isLoopback(u *url.URL) bool {
	ip := net.ParseIP(u.Hostname())
	return u.Hostname() == "localhost" || ip != nil && ip.IsLoopback()
}
