package outside

import (
	"cmp"
	"context"
	"encoding/json"
	"errors"
	"fmt"
	"maps"
	"slices"
	"strings"
	"time"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/meter/money"
	"github.com/headgate-dev/headgate/plugins/remote"
)

// Settings are a link's config block. Settings that the vendor does not support are refused.
type Settings struct {
	// URL is where the guard is called. Default: the vendor's own address, if it has one for all customers.
	URL string `yaml:"url" eg:"http://127.0.0.1:5002/analyze"`
	// Action is what a finding does: block, redact or flag. Default: redact if the vendor reports positions, otherwise
	// block.
	Action remote.Action `yaml:"action" eg:"flag"`
	// Threshold is the minimum score of a finding, 0 to 1. Default: the vendor's.
	Threshold *float64 `yaml:"threshold" min:"0" max:"1" eg:"0.5"`
	// Labels are the findings that count: categories, types or classes. Default: all; for a classifier, all except the
	// benign ones.
	Labels []string `yaml:"labels" eg:"[INJECTION]"`
	// Language is the language of the texts, if the vendor needs to know it.
	Language string `yaml:"language" eg:"en"`
	// Model is the model to use, and Project the project, at the vendor.
	Model   string `yaml:"model" eg:"omni-moderation-latest"`
	Project string `yaml:"project" eg:"project-1234"`
	// Template is how a judge model is asked: llama_guard, shieldgemma, granite_guardian or gpt_oss_safeguard.
	Template string `yaml:"template" eg:"llama_guard"`
	// Policy is what a judge model judges by: the name of a criterion for granite_guardian, rules in plain words for
	// gpt_oss_safeguard. Default: harm; prompt injections and jailbreaks.
	Policy string `yaml:"policy" eg:"jailbreak"`
	// AskWhen is a condition on the score that the gateway's own detectors of prompt injections and jailbreaks give a window.
	// Other windows are not sent to the guard. Default: all windows are sent.
	AskWhen string `yaml:"ask_when" eg:"score > 0.2"`
	// Remember is how long the verdict on a text of a request is used again. 0 turns that off. Verdicts are kept in the memory
	// that memory.verdicts limits.
	Remember time.Duration `yaml:"remember" default:"1h" min:"0s" max:"24h"`
	// PricePerCall is what the vendor charges for a call, in USD. It is booked to the key of the request.
	PricePerCall money.Amount `yaml:"price_per_call" default:"0" eg:"0.0015"`
	// RequestWindow is how many characters of a request's text are judged together. Default: the vendor's maximum.
	RequestWindow int `yaml:"request_window" min:"100" max:"65536"`
	// Window is how many characters of an answer are judged together. Overlap is how many of them the next window
	// repeats.
	Window  int `yaml:"window" default:"400" min:"50" max:"4000"`
	Overlap int `yaml:"overlap" default:"100" min:"0" max:"2000"`
	// CAFile is a PEM file of certificate authorities that are trusted in addition to the system's.
	CAFile string `yaml:"ca_file"`
}

// DefaultRemember is the default of the setting remember.
const DefaultRemember = time.Hour

// Options configure a link.
type Options struct {
	Vendor  string // one of Vendors
	Link    string // its name in the chain
	Secret  string // the vendor's API key; "" for none
	Timeout time.Duration
	Calls   int
	// AllowPrivate allows addresses of this machine and of private networks.
	AllowPrivate     bool
	FailOpen, Shadow bool
	Note             func(remote.Observed)
	Settings         Settings
	// Chat asks models of the gateway, for the vendor judge. Default: its calls fail.
	Chat Chat
	// Book books what calls have cost. It must return soon, also if ctx has ended. Default: nothing is booked.
	Book func(ctx context.Context, c Charge)
	// Score is the score of a local guard for a window, 0 to 1, for ask_when. It must be safe for concurrent use, and must
	// return 1 if ctx ends first.
	Score func(ctx context.Context, p *remote.Piece) float32
}

// ListVendors returns the names of the vendors, sorted.
func ListVendors() []string { return slices.Sorted(maps.Keys(vendors)) }

// vendor is one wire form.
type vendor struct {
	url       string        // default of the setting; if empty, the setting is required
	action    remote.Action // default of the setting
	threshold float64       // default of the setting
	window    int           // characters of a request that are judged together
	texts     int           // per call; 0: one text per call, several calls at once
	keyed     bool          // it needs an API key
	uses      []string      // optional settings that it supports
	places    bool          // it reports positions of findings
	through   bool          // it is a model behind the gateway's own providers: no URL and no API key
	// ask sends the pieces of q: one piece, or all of them if texts is greater than 1.
	ask func(c *call, q *remote.Question) ([][]remote.Span, error)
}

// ReadSettings decodes a link's config block.
func ReadSettings(block core.Settings) (Settings, error) {
	s := Settings{Window: remote.DefaultWindow, Overlap: remote.DefaultOverlap, Remember: DefaultRemember}
	if block == nil {
		return s, nil
	}
	if err := block.Decode(&s); err != nil {
		return s, err // names the file and the line
	}
	if s.Overlap > s.Window/2 {
		return s, fmt.Errorf("overlap: %d is more than half the window of %d; write at most %d", s.Overlap, s.Window, s.Window/2)
	}
	if s.Remember < 0 || s.Remember > 24*time.Hour {
		return s, fmt.Errorf("remember: %s is not between 0s and 24h", s.Remember)
	}
	return s, nil
}

// completeSettings completes the settings of a vendor's link.
func (o *Options) completeSettings(v *vendor) error {
	s := &o.Settings
	for name, written := range map[string]bool{
		"labels": len(s.Labels) > 0, "language": s.Language != "", "model": s.Model != "", "project": s.Project != "",
		"threshold": s.Threshold != nil, "template": s.Template != "", "policy": s.Policy != "",
	} {
		if written && !slices.Contains(v.uses, name) {
			return fmt.Errorf("%s: %s has no such setting; remove it", name, o.Vendor)
		}
	}
	switch s.Action {
	case "":
		s.Action = v.action
	case remote.Redact:
		if !v.places {
			return fmt.Errorf("action: %s does not report where it found something, so nothing can be redacted; write block or flag", o.Vendor)
		}
	case remote.Block, remote.Flag:
	default:
		return fmt.Errorf("action: unknown action %q; write block, redact or flag", s.Action)
	}
	if err := o.checkAddress(v); err != nil {
		return err
	}
	switch {
	case s.PricePerCall < 0:
		return errors.New("price_per_call: is below 0; write 0 or more")
	case s.PricePerCall > 0 && v.through:
		return errors.New("price_per_call: a judge costs what its model's tokens cost; remove it, and write a price for the model under pricing")
	}
	if s.AskWhen != "" {
		if _, _, err := parseCondition(s.AskWhen); err != nil {
			return fmt.Errorf("ask_when: %w", err)
		}
		if o.Score == nil {
			return errors.New("ask_when: there is no local guard that could give a score; remove it")
		}
	}
	if s.Threshold == nil {
		s.Threshold = &v.threshold
	}
	if s.RequestWindow == 0 {
		s.RequestWindow = v.window
	}
	if s.Overlap > s.RequestWindow/2 {
		return fmt.Errorf("overlap: %d is more than half the request_window of %d; write at most %d", s.Overlap, s.RequestWindow, s.RequestWindow/2)
	}
	return nil
}

// checkAddress checks where the guard is called.
func (o *Options) checkAddress(v *vendor) error {
	s := &o.Settings
	if v.through {
		return o.completeJudge()
	}
	if s.URL == "" {
		if s.URL = v.url; s.URL == "" {
			return errors.New("url: is empty; write where the guard is called")
		}
	}
	if v.keyed && o.Secret == "" {
		return errors.New(`secret: is empty; write the vendor's API key, as in secret: "${GUARD_KEY}"`)
	}
	if _, err := remote.ParseURL(s.URL, o.AllowPrivate); err != nil {
		return fmt.Errorf("url: %w", err)
	}
	return nil
}

// completeJudge completes the settings of a judge model.
func (o *Options) completeJudge() error {
	s := &o.Settings
	names := strings.Join(slices.Sorted(maps.Keys(judgeTemplates)), ", ")
	t := judgeTemplates[s.Template]
	switch {
	case s.URL != "" || s.CAFile != "":
		return errors.New("url: a judge is a model of this gateway; remove it, and write a route or a provider of that address")
	case o.Secret != "":
		return errors.New("secret: a judge is called with the API key of its provider; remove it")
	case s.Model == "":
		return errors.New("model: is empty; write the name of a model that a route or provider of this gateway serves")
	case s.Template == "":
		return fmt.Errorf("template: is empty; write one of %s", names)
	case t == nil:
		return fmt.Errorf("template: unknown template %q; write one of %s", s.Template, names)
	case t.fixed && s.Policy != "":
		return fmt.Errorf("policy: %s has built-in policies; remove the setting", s.Template)
	case len(s.Labels) > 0 && !t.codes && !t.names:
		return fmt.Errorf("labels: %s answers Yes or No, without a label; remove it", s.Template)
	}
	s.Policy = cmp.Or(s.Policy, t.policy)
	if s.AskWhen != "" && (t.fixed || s.Policy == harm) {
		return fmt.Errorf("ask_when: the local score detects prompt injections and jailbreaks only, and %s judges harm; remove it", s.Template)
	}
	if o.Chat == nil {
		o.Chat = func(context.Context, *remote.Caller, string, []byte) (int, []byte, error) {
			return 0, nil, remote.NewFault(core.FaultLoad, "no provider can be called here")
		}
	}
	return nil
}

// New returns a stage for a link. It makes no calls.
func New(o Options) (*remote.Stage, error) {
	v := vendors[o.Vendor]
	if v == nil {
		return nil, fmt.Errorf("guard: unknown guard %q; write one of %s", o.Vendor, strings.Join(ListVendors(), ", "))
	}
	if err := o.completeSettings(v); err != nil {
		return nil, err
	}
	a := &asker{vendor: v, name: o.Vendor, secret: o.Secret, set: o.Settings, chat: o.Chat, book: o.Book}
	if !v.through {
		var err error
		a.client, err = remote.NewClient(remote.ClientOptions{
			Timeout: o.Timeout, Calls: o.Calls, AllowPrivate: o.AllowPrivate, CAFile: o.Settings.CAFile,
		})
		if err != nil {
			return nil, err
		}
	}
	identity, err := json.Marshal(&o.Settings)
	if err != nil {
		return nil, err
	}
	return remote.New(remote.Options{
		Doubtful: o.buildDoubtTest(), Remember: o.Settings.Remember, Identity: string(identity) + o.Secret,
		Guard: o.Vendor, Link: o.Link, Timeout: o.Timeout, Calls: o.Calls, FailOpen: o.FailOpen, Shadow: o.Shadow, Note: o.Note,
		Window: o.Settings.Window, Overlap: o.Settings.Overlap, RequestWindow: o.Settings.RequestWindow, Texts: cmp.Or(v.texts, callsAtOnce*8),
	}, a), nil
}
