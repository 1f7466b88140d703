package main

import (
	"encoding/json"
	"errors"
	"fmt"
	"strings"

	"github.com/spf13/cobra"
	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/stages/guardrail"
)

// guardAnswer is what is written for one line.
type guardAnswer struct {
	ID     json.RawMessage `json:"id"`
	Hit    bool            `json:"hit"`
	Score  float32         `json:"score"`
	Labels []string        `json:"labels"`
}

func scanGuardCommand(f *flags) *cobra.Command {
	return &cobra.Command{
		Use:   "guard",
		Short: "Judge JSON lines by the guardrails",
		Long: `Reads lines such as {"id": "1", "text": "..."} from standard input and writes for each a line
{"id", "hit", "score", "labels"}: whether a detector reached its threshold, the highest score, and the detectors that did.
The detectors are those of the stage: with --config, of all guardrail links of that configuration's chain; else its default set.
A line may name one detector and its settings instead: {"id": "2", "text": "...", "guard": "keywords", "config": {"words": ["badco"]}}.
Each text is judged as a whole, by request and response detectors alike; see docs/guardrails.md.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			s := guardScanner{single: map[string]*guardrail.Scanner{}}
			if err := s.configure(f); err != nil {
				return err
			}
			return scanLines(c.InOrStdin(), c.OutOrStdout(), s.judge)
		},
	}
}

// guardScanner has the configured detectors, and those that lines asked for.
type guardScanner struct {
	links  []*guardrail.Scanner
	single map[string]*guardrail.Scanner
}

// maxSingle bounds the detectors that are kept for lines to come.
const maxSingle = 1000

// configure reads the guardrail links of the configuration that was named.
func (s *guardScanner) configure(f *flags) error {
	if f.config == "" {
		d, err := guardrail.NewScanner(nil)
		s.links = append(s.links, d)
		return err
	}
	cfg, _, err := f.load()
	if err != nil {
		return err
	}
	for i := range cfg.Chain {
		l := &cfg.Chain[i]
		if l.Stage != guardrail.Name {
			continue
		}
		d, err := guardrail.NewScanner(l.Config)
		if err != nil {
			return wrongLink(l, err)
		}
		s.links = append(s.links, d)
	}
	if len(s.links) == 0 {
		return errors.New("the configuration's chain has no guardrail stage: add one, or leave --config out for the default set")
	}
	return nil
}

func (s *guardScanner) judge(l scanLine) (any, error) {
	a := guardAnswer{ID: l.ID, Labels: []string{}}
	links := s.links
	if l.Guard != "" {
		d, err := s.one(l.Guard, l.Config)
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

// one gives the scanner of a single detector.
func (s *guardScanner) one(kind string, conf json.RawMessage) (*guardrail.Scanner, error) {
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

// Decode reads them as the configuration would: strictly, by the same names.
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
