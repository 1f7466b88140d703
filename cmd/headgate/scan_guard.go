package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/stages/guardrail"
)

// guardAnswer is the output for one line.
type guardAnswer struct {
	ID     json.RawMessage `json:"id"`
	Hit    bool            `json:"hit"`
	Score  float32         `json:"score"`
	Labels []string        `json:"labels"`
}

func newScanGuardCommand(f *node.Options) *cobra.Command {
	var packs []string
	c := &cobra.Command{
		Use:   "guard",
		Short: "Run the guardrail detectors on JSON lines",
		Long: `Reads lines such as {"id": "1", "text": "..."} from standard input and writes for each a line
{"id", "hit", "score", "labels"}: whether a detector reached its threshold, the highest score, and the detectors that did.
The detectors are those of the stage: with --config, of all guardrail links of that configuration's chain; else its default set.
--packs runs some of these alone: by their names or their types with --config, else the built-in detectors of those types;
all stands for every one, without --config for those that need no settings.
A line may name one detector and its settings instead: {"id": "2", "text": "...", "guard": "keywords", "config": {"words": ["badco"]}}.
Each text is judged as a whole, by request and response detectors alike; see docs/guardrails.md.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s := guardScanner{packs: packs, single: map[string]*guardrail.Scanner{}}
			if c.Flags().Changed("packs") && len(packs) == 0 {
				return fmt.Errorf("--packs names no detector; known detectors are %q", guardrail.ListKinds())
			}
			if err := s.configure(f); err != nil {
				return err
			}
			return scanLines(c.InOrStdin(), c.OutOrStdout(), s.judge)
		},
	}
	c.Flags().StringSliceVar(&packs, "packs", nil, "`names` or types of the detectors to run")
	return c
}

// guardScanner holds the configured detectors, and those that lines requested.
type guardScanner struct {
	packs  []string // names or types of the detectors that run; nil for all
	links  []*guardrail.Scanner
	single map[string]*guardrail.Scanner
}

// maxSingle limits the number of detectors that are kept for later lines.
const maxSingle = 1000

// configure reads the guardrail links of the named configuration.
func (s *guardScanner) configure(f *node.Options) error {
	if f.Config == "" {
		return s.useBuiltIn()
	}
	cfg, _, err := f.Load()
	if err != nil {
		return err
	}
	links := 0
	missing := map[string]int{} // in how many links
	for i := range cfg.Chain {
		l := &cfg.Chain[i]
		if l.Stage != guardrail.Name {
			continue
		}
		links++
		d, none, err := s.buildLink(l.Config)
		if err != nil {
			return node.WrapLinkError(l, err)
		}
		for _, name := range none {
			missing[name]++
		}
		if d != nil {
			s.links = append(s.links, d)
		}
	}
	if links == 0 {
		return errors.New("the configuration's chain has no guardrail stage: add one, or leave --config out for the default set")
	}
	for _, name := range s.packs {
		if missing[name] == links {
			return fmt.Errorf("--packs: no guardrail link of the configuration has a detector of the name or type %q", name)
		}
	}
	return nil
}

// buildLink returns the scanner of a link, or nil if it has none of the requested detectors.
func (s *guardScanner) buildLink(settings core.Settings) (*guardrail.Scanner, []string, error) {
	if s.packs == nil {
		d, err := guardrail.NewScanner(settings)
		return d, nil, err
	}
	return guardrail.NewNamedScanner(settings, s.packs)
}

// useBuiltIn uses the default set, or the built-in detectors of the requested types.
func (s *guardScanner) useBuiltIn() error {
	if s.packs == nil {
		d, err := guardrail.NewScanner(nil)
		s.links = append(s.links, d)
		return err
	}
	d, missing, err := guardrail.NewNamedScanner(nil, s.packs)
	switch {
	case err != nil:
		return fmt.Errorf("--packs: %w; write them in a configuration, and name that with --config", err)
	case len(missing) > 0:
		return fmt.Errorf("--packs: unknown detector %q; known are %q", missing[0], guardrail.ListKinds())
	}
	s.links = append(s.links, d)
	return nil
}

func (s *guardScanner) judge(l scanLine) (any, error) {
	a := guardAnswer{ID: l.ID, Labels: []string{}}
	links := s.links
	if l.Guard != "" {
		d, err := s.buildScanner(l.Guard, l.Config)
		if err != nil {
			return nil, err
		}
		links = []*guardrail.Scanner{d}
	}
	for _, d := range links {
		r := d.Scan(*l.Text)
		a.Hit, a.Score = a.Hit || r.Hit, max(a.Score, r.Score)
		a.Labels = append(a.Labels, r.Labels...)
	}
	return a, nil
}

// buildScanner returns the scanner of a single detector.
func (s *guardScanner) buildScanner(kind string, conf json.RawMessage) (*guardrail.Scanner, error) {
	key := kind + "\x00" + string(conf)
	if d := s.single[key]; d != nil {
		return d, nil
	}
	d, err := guardrail.NewDetectorScanner(kind, lineSettings(conf))
	if err != nil {
		return nil, err
	}
	if len(s.single) >= maxSingle {
		clear(s.single)
	}
	s.single[key] = d
	return d, nil
}

// lineSettings are the settings of a detector in a line.
type lineSettings json.RawMessage

// Decode decodes them as the configuration would: strictly, with the same names.
func (b lineSettings) Decode(into any) error {
	var plain map[string]any
	if len(b) > 0 {
		if err := json.Unmarshal(b, &plain); err != nil {
			return errors.New(`the field "config" is not an object`)
		}
	}
	text, err := yaml.Marshal(plain)
	if err != nil {
		return fmt.Errorf("config: %w", err)
	}
	d := yaml.NewDecoder(strings.NewReader(string(text)))
	d.KnownFields(true)
	if err := d.Decode(into); err != nil {
		return fmt.Errorf("config: %w", err)
	}
	return nil
}
