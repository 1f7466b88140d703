package conform

import (
	"context"
	"errors"
	"fmt"
	"slices"
	"strings"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/state"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/sdk/stagetest/play"
	"github.com/headgate-dev/headgate/wasm"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// Options are the module and what it is tried with.
type Options struct {
	Source   []byte
	File     string         // for the report
	Manifest *wasm.Manifest // beside the module; optional
	Config   []byte         // settings as JSON; optional
	Texts    []string       // about which the plugin has something to say; optional
	Cache    *wasm.Cache    // optional
	Limits   wasm.Limits
}

// Rules, in the order of a report.
const (
	ruleModule   = "the module is valid and within the limits of the host"
	ruleManifest = "it has a manifest that is right"
	ruleExports  = "it exports what its kind must, with the right signatures, for ABI 1"
	ruleHooks    = "its manifest and its hooks agree"
	ruleImports  = "it imports what the host offers and its manifest asks for"
	ruleStarts   = "it starts, accepts its settings, and finds the samples of its manifest"
	ruleEmpty    = "a body without text passes"
	ruleOdd      = "texts of any kind, broken UTF-8 too, are judged without a fault"
	ruleHuge     = "a text of 1 MiB is judged within the default limits"
	ruleTooLarge = "a text that exceeds its memory is judged or is a fault of memory, and the next one is served"
	ruleMemory   = "what it remembers of earlier texts changes nothing of what it says"
	ruleMany     = "many callers at once get what one gets"
	ruleStreams  = "any cutting of a streamed answer gives the result of the whole"
	ruleSilent   = "no text of the exchange is in its log, refusals, headers or labels"
	ruleWork     = "its work grows with the text, not with the square of its length"
)

// Run holds a module against all rules. The error is not about the module: the context ended.
func Run(ctx context.Context, o Options) (*Report, error) {
	seen, _ := wasm.Inspect(o.Source, o.Manifest) // CheckContract says what is wrong
	r := &Report{File: o.File, Digest: seen.Digest, Kind: seen.Manifest.Kind}
	if seen.Manifest.Name != "" {
		r.Plugin = strings.TrimSpace(seen.Manifest.Name + " " + seen.Manifest.Version)
	}
	c := wasm.CheckContract(o.Source, o.Manifest)
	for _, part := range []struct {
		rule string
		err  error
	}{
		{ruleModule, c.Module}, {ruleManifest, c.Manifest}, {ruleExports, c.Exports}, {ruleHooks, c.Hooks}, {ruleImports, c.Imports},
	} {
		r.addOutcome(part.rule, part.err)
	}
	rules := []string{
		ruleStarts, ruleEmpty, ruleOdd, ruleHuge, ruleTooLarge, ruleMemory, ruleMany, ruleStreams, ruleSilent, ruleWork,
	}
	if r.Broken > 0 {
		for _, rule := range rules {
			r.add(rule, None, "not tried: the module is not loaded")
		}
		return r, nil
	}
	t := &trial{o: o, ctx: ctx, r: r}
	s, err := t.load(wasm.IsolateNone)
	if r.addOutcome(ruleStarts, explainStart(err, &t.lines)); err != nil {
		for _, rule := range rules[1:] {
			r.add(rule, None, "not tried: the module does not start")
		}
		return r, ctx.Err()
	}
	defer s.close(ctx)
	t.s, t.m = s, &s.plugin.Version().Manifest
	t.texts = listSampleTexts(t.m, o.Texts)
	t.steady = !t.m.Asks(abi.CapabilityNow) && !t.m.Asks(abi.CapabilityRandom)
	for _, rule := range []struct {
		name  string
		check func() (none string, err error)
	}{
		{ruleEmpty, t.tryEmpty},
		{ruleOdd, t.checkOddText},
		{ruleHuge, t.checkHugeText},
		{ruleTooLarge, t.checkOversize},
		{ruleMemory, t.tryMemory},
		{ruleMany, t.checkParallel},
		{ruleStreams, t.tryStreams},
		{ruleSilent, t.checkSilence},
		{ruleWork, t.tryWork},
	} {
		none, err := rule.check()
		if ctx.Err() != nil {
			return r, ctx.Err()
		}
		if none != "" {
			r.add(rule.name, None, none)
			continue
		}
		r.addOutcome(rule.name, err)
	}
	return r, nil
}

// addOutcome adds a rule that holds unless there is an error.
func (r *Report) addOutcome(rule string, err error) {
	switch {
	case err == nil:
		r.add(rule, Holds, "")
	case wasm.IsUnknown(err):
		r.add(rule, None, err.Error())
	default:
		r.add(rule, Broken, err.Error())
	}
}

// explainStart adds what an author must know of a module that does not start.
func explainStart(err error, lines *logLines) error {
	if err == nil {
		return nil
	}
	if said := lines.copyLines(); len(said) > 0 {
		err = fmt.Errorf("%w\nit logged: %s", err, strings.Join(said, "\nit logged: "))
	}
	if wasm.IsSettings(err) {
		err = fmt.Errorf("%w\nname a file with settings that it accepts: --settings FILE", err)
	}
	return err
}

// logLines are the lines that a guest logged.
type logLines struct {
	mu   sync.Mutex
	text []string
}

func (l *logLines) add(_ abi.Level, text string, _ int) {
	l.mu.Lock()
	defer l.mu.Unlock()
	if len(l.text) < 1000 {
		l.text = append(l.text, text)
	}
}

func (l *logLines) copyLines() []string {
	l.mu.Lock()
	defer l.mu.Unlock()
	return slices.Clone(l.text)
}

// trial is one module with what its rules need.
type trial struct {
	o      Options
	ctx    context.Context
	r      *Report
	s      *subject
	m      *wasm.Manifest
	texts  []string
	steady bool // its verdicts depend on the exchange alone
	lines  logLines
}

// subject is one loaded module as a link of a chain.
type subject struct {
	play.Player
	plugin wasm.Plugin
}

func (s *subject) close(ctx context.Context) {
	_ = s.plugin.Close(context.WithoutCancel(ctx)) // no calls are in flight, so it does not wait
}

// emptied is a state that is new for each exchange, so that limits and values of one do not change the next.
type emptied struct{ core.State }

func (e *emptied) empty() { e.State = state.NewMemory(state.Options{}) }

// load returns the module as a link. The caller closes it.
func (t *trial) load(isolate wasm.Isolation) (*subject, error) {
	limits := t.o.Limits
	limits.Isolate, limits.LogLines = isolate, 1000
	v, err := wasm.Load(t.ctx, wasm.LoadOptions{
		Source: t.o.Source, Name: t.o.File, Manifest: t.o.Manifest, Config: t.o.Config, Limits: limits, Cache: t.o.Cache, Log: t.lines.add,
	})
	if err != nil {
		return nil, err
	}
	store := new(emptied)
	store.empty()
	action := ""
	if !v.Manifest.IsStage() {
		action = "redact" // its matches become edits, which the rules see
	}
	p, err := wasm.NewPlugin(v, wasm.Options{
		Link: "conform", Settings: wasm.Settings{Action: action}, State: store, Answer: newAnswer,
		Grant: chooseGrant(v),
	})
	if err != nil {
		v.Release(t.ctx)
		return nil, err
	}
	return &subject{play.Player{Stage: p, Phases: v.Manifest.PhaseSet(), Reset: store.empty}, p}, nil
}

// chooseGrant returns what an operator would grant: a stage that asks for a scope of the state gets the platform's, any other none.
func chooseGrant(v *wasm.Version) (g foreign.Grant) {
	if v.Imports(abi.ImportStateScope) {
		g.Scopes = []string{"platform"}
	}
	return g
}

var _ foreign.Answerer = newAnswer

func newAnswer(_ *core.Exchange, text string) (*core.Payload, error) {
	return &core.Payload{Raw: []byte(text)}, nil
}

// shortenText returns the beginning of a text for a report.
func shortenText(text string) string {
	if len(text) > 40 {
		text = text[:40] + "…"
	}
	return fmt.Sprintf("%q", text)
}

var errDiffers = errors.New("the result differs")
