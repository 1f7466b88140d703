package pii

import (
	"context"
	"fmt"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/recall"
)

// Name is the stage's name in the configuration.
const Name = "pii"

// What happens to a value that is found.
const (
	actionRedact = "redact" // a reversible placeholder replaces it
	actionMask   = "mask"   // the name of its type in brackets replaces it permanently
	actionBlock  = "block"  // the exchange is refused
	actionFlag   = "flag"   // it is recorded
)

// What happens to an answer.
const (
	responseRestore = "restore_only" // the caller's own placeholders become values again
	responseRedact  = "redact"       // and values that the model generates are redacted
)

// Which placeholders become values again.
const (
	restoreStrict   = "strict"   // those that are unchanged
	restoreTolerant = "tolerant" // and those that a model has altered, if type and digits are intact
)

// settings are the stage's block of the configuration.
type settings struct {
	Packs     []string           `yaml:"packs"`      // groups of types to look for
	Types     []string           `yaml:"types"`      // and single types; the default pack if both are omitted
	Threshold map[string]float32 `yaml:"threshold"`  // confidence that a type needs, 0 to 1
	Region    string             `yaml:"region"`     // ISO 3166 country whose national phone numbers count
	Custom    []Custom           `yaml:"custom"`     // the operator's types
	Allow     Allow              `yaml:"allow"`      // values that are not findings
	Action    string             `yaml:"action"`     // redact, mask, block or flag
	Actions   map[string]string  `yaml:"actions"`    // the same for single types
	Response  string             `yaml:"response"`   // restore_only or redact
	Restore   string             `yaml:"restore"`    // strict or tolerant
	MaxValues int                `yaml:"max_values"` // refuse a request or an answer with more values
}

// Each value that is found in a request or an answer takes some 900 bytes until it ends: in the findings, the edits and the
// vault. 262,144 addresses in one prompt took 230 MiB.
const (
	defaultMaxValues = 20_000
	maxMaxValues     = 200_000
)

// Stage redacts personal data in requests and restores it in answers.
type Stage struct {
	engine   *Engine
	tokens   core.Tokens
	actions  actions
	redacts  bool // also answers
	tolerant bool // accepts placeholders that a model has altered
	most     int  // values in a request, and in an answer
	config   Options
	memory   recall.Part
	names    map[string]uint64 // numbers of the types, from 1
	pool     sync.Pool
}

var (
	_ core.Stage       = (*Stage)(nil)
	_ core.StreamStage = (*Stage)(nil)
	_ core.Finisher    = (*Stage)(nil)
)

// Phases are those in which the stage has work to do.
var Phases = core.NewPhaseSet(core.Request, core.Response)

// New returns the stage for its block of the configuration.
func New(s core.Settings, tokens core.Tokens) (core.Stage, error) {
	c, err := readSettings(s)
	if err != nil {
		return nil, err
	}
	return newStage(c, tokens)
}

// NewRedactor returns a stage that redacts all that it finds in requests and answers, whatever its block of the
// configuration says about actions.
func NewRedactor(s core.Settings, tokens core.Tokens) (core.Stage, error) {
	c, err := readSettings(s)
	if err != nil {
		return nil, err
	}
	c.Action, c.Actions, c.Response = "", nil, responseRedact
	return newStage(c, tokens)
}

func readSettings(s core.Settings) (c settings, err error) {
	if s != nil {
		err = s.Decode(&c)
	}
	return c, err
}

func newStage(c settings, tokens core.Tokens) (core.Stage, error) {
	switch c.Response {
	case "":
		c.Response = responseRestore
	case responseRestore, responseRedact:
	default:
		return nil, fmt.Errorf("response %q: write %s or %s", c.Response, responseRestore, responseRedact)
	}
	switch c.Restore {
	case "":
		c.Restore = restoreStrict
	case restoreStrict, restoreTolerant:
	default:
		return nil, fmt.Errorf("restore %q: write %s or %s", c.Restore, restoreStrict, restoreTolerant)
	}
	switch {
	case c.MaxValues == 0:
		c.MaxValues = defaultMaxValues
	case c.MaxValues < 1 || c.MaxValues > maxMaxValues:
		return nil, fmt.Errorf("max_values %d: write 1 to %d", c.MaxValues, maxMaxValues)
	}
	actions, err := makeActions(&c)
	if err != nil {
		return nil, err
	}
	engine, err := NewEngine(c.buildOptions())
	if err != nil {
		return nil, err
	}
	st := &Stage{
		engine:   engine,
		tokens:   tokens,
		actions:  actions,
		redacts:  c.Response == responseRedact,
		tolerant: c.Restore == restoreTolerant,
		most:     c.MaxValues,
		config:   c.buildOptions(),
	}
	st.pool.New = func() any { return new(work) }
	return st, nil
}

// work holds the buffers of one check, which the next reuses.
type work struct {
	spans    []span // of altered placeholders in the current text
	matches  []Match
	value    []byte // of the memory
	prefix   recall.Prefix
	edits    []core.Edit
	findings []core.Finding
	redacted bool     // the current run contains placeholders
	crowded  bool     // there are more values than allowed
	blocked  string   // the first type found that must not pass
	unknown  []string // placeholders of this exchange that the caller must not resolve
}

// Check inspects a whole request or answer.
func (s *Stage) Check(ctx context.Context, x *core.Exchange, p core.Phase, kept any) (core.Verdict, error) {
	w := s.findWork(kept)
	w.edits, w.findings, w.blocked, w.crowded = w.edits[:0], w.findings[:0], "", false
	body, response := &x.Request, p == core.Response
	if response {
		body = &x.Response
	}
	s.memory.LoadPrefix(&w.prefix, x, body, p)
	for i := 0; ; {
		if i = w.prefix.Skip(i); i >= len(body.Segments) {
			break
		}
		var m recall.Run
		if !response {
			m = s.memory.ComputeRun(x, body, i, p)
		}
		recalled := s.recall(w, &m)
		if recalled && w.isClean() {
			i += m.N
			continue
		}
		run := body.FindRun(i)
		i += run.N
		if run.Text == "" {
			continue
		}
		if err := s.processRun(ctx, x, body, run, w, response, recalled); err != nil {
			return core.Verdict{}, err
		}
		if !recalled {
			s.storeMatches(w, &m)
		}
		if w.crowded {
			break
		}
		if !w.isClean() {
			w.prefix.MarkRun(run.First)
		}
	}
	if !w.crowded {
		w.prefix.Store()
	}
	v := s.buildVerdict(w, response)
	v.Keep = w
	return v, nil
}

// findWork returns the exchange's buffers, or new ones.
func (s *Stage) findWork(kept any) *work {
	if w, ok := kept.(*work); ok {
		return w
	}
	return s.pool.Get().(*work)
}

// Finish returns the exchange's buffers to the pool.
func (s *Stage) Finish(_ context.Context, _ *core.Exchange, kept any) {
	if w, ok := kept.(*work); ok && cap(w.edits) <= keepEdits {
		clear(w.edits[:cap(w.edits)]) // they point into the exchange's text
		clear(w.unknown)
		w.spans, w.matches, w.edits, w.findings, w.unknown = w.spans[:0], w.matches[:0], w.edits[:0], w.findings[:0], w.unknown[:0]
		s.pool.Put(w)
	}
}

// keepEdits bounds the buffers that are reused.
const keepEdits = 1024

func (s *Stage) buildVerdict(w *work, response bool) core.Verdict {
	v := core.Verdict{Action: core.Pass, Findings: w.findings}
	switch {
	case w.crowded:
		v.Action, v.Err = core.Block, s.newCrowdedError(response)
	case w.blocked != "" && (!response || s.redacts):
		v.Action, v.Err = core.Block, newBlockError(w.blocked)
	case len(w.edits) > 0:
		v.Action, v.Edits = core.Rewrite, w.edits
	}
	return v
}

// newCrowdedError refuses a text with too many values. For a request it has the code of a request that is too large, so that
// clients which then compact their history do it here as well.
func (s *Stage) newCrowdedError(response bool) *core.Error {
	if response {
		return &core.Error{
			Kind: core.ContentFiltered, Code: core.CodeContentFilter,
			Public: fmt.Sprintf("the answer contains more than %d values of personal data, which is more than this gateway redacts", s.most),
		}
	}
	return &core.Error{
		Kind: core.TooLarge, Code: core.CodeTooLarge,
		Public: fmt.Sprintf("the request contains more than %d values of personal data, which is more than this gateway redacts; split it", s.most),
	}
}

func newBlockError(label string) *core.Error {
	return &core.Error{
		Kind: core.ContentFiltered, Code: core.CodeContentFilter,
		Public: "the text contains personal data (" + label + "), which this gateway does not let through; remove it and try again",
	}
}

// ReleaseRequest implements chain.RequestReleaser: judging an answer needs only the answer and the vault.
func (*Stage) ReleaseRequest(context.Context, *core.Exchange, any) bool { return true }
