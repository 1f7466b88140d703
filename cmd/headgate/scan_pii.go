package main

import (
	"encoding/json"
	"errors"

	"github.com/spf13/cobra"

	"github.com/headgate-dev/headgate/cmd/headgate/node"
	"github.com/headgate-dev/headgate/stages/pii"
)

type piiSpan struct {
	Start int     `json:"start"`
	End   int     `json:"end"`
	Type  string  `json:"type"`
	Score float32 `json:"score"`
}

type piiAnswer struct {
	ID    json.RawMessage `json:"id"`
	Spans []piiSpan       `json:"spans"`
}

func newScanPIICommand(f *node.Options) *cobra.Command {
	var packs, types []string
	var taken bool
	c := &cobra.Command{
		Use:   "pii",
		Short: "Find personal data in JSON lines",
		Long: `Reads lines such as {"id": "1", "text": "...", "hint": {"region": "DE"}} from standard input and writes for each
a line {"id", "spans": [{"start", "end", "type", "score"}]}: byte offsets in the UTF-8 of the text, the end exclusive.
The engine is that of the stage. With --config it is set as the first pii link of that configuration's chain; --packs and
--types replace what it looks for. Where several types claim the same bytes, such as a number that satisfies the check
digits of two countries, there is a span for each, the one that the stage takes first. A hint's region makes national phone numbers of that country count.`,
		Args: cobra.NoArgs,
		RunE: func(c *cobra.Command, _ []string) error {
			o, err := readPIIOptions(f)
			if err != nil {
				return err
			}
			if len(packs) > 0 || len(types) > 0 {
				o.Packs, o.Types = packs, types
			}
			s := piiScanner{options: o, engines: map[string]*pii.Engine{}, taken: taken}
			if _, err := s.buildEngine(""); err != nil {
				return err
			}
			return scanLines(c.InOrStdin(), c.OutOrStdout(), s.judge)
		},
	}
	c.Flags().StringSliceVar(&packs, "packs", nil, "`packs` of types to look for, or all")
	c.Flags().StringSliceVar(&types, "types", nil, "single `types` to look for, or all")
	c.Flags().BoolVar(&taken, "taken", false, "list only the type that the stage chooses when several match a value")
	return c
}

// readPIIOptions returns the options of the first pii link of the named configuration.
func readPIIOptions(f *node.Options) (pii.Options, error) {
	if f.Config == "" {
		return pii.Options{}, nil
	}
	cfg, _, err := f.Load()
	if err != nil {
		return pii.Options{}, err
	}
	for i := range cfg.Chain {
		if l := &cfg.Chain[i]; l.Stage == pii.Name {
			o, err := pii.ParseOptions(l.Config)
			if err != nil {
				return o, node.WrapLinkError(l, err)
			}
			return o, nil
		}
	}
	return pii.Options{}, errors.New("the configuration's chain has no pii stage: add one, or leave --config out and name --packs or --types")
}

// piiScanner holds an engine for each region that lines name as a hint.
type piiScanner struct {
	options pii.Options
	engines map[string]*pii.Engine
	taken   bool
	matches []pii.Match
}

func (s *piiScanner) buildEngine(region string) (*pii.Engine, error) {
	if e := s.engines[region]; e != nil {
		return e, nil
	}
	o := s.options
	if region != "" {
		o.Region = region
	}
	e, err := pii.NewEngine(o)
	if err == nil {
		s.engines[region] = e
	}
	return e, err
}

func (s *piiScanner) judge(l scanLine) (any, error) {
	e, err := s.buildEngine(l.Hint.Region)
	if err != nil {
		return nil, err
	}
	if s.taken {
		s.matches = e.Detect(s.matches[:0], *l.Text)
	} else {
		s.matches = e.DetectAll(s.matches[:0], *l.Text)
	}
	a := piiAnswer{ID: l.ID, Spans: []piiSpan{}}
	for _, m := range s.matches {
		a.Spans = append(a.Spans, piiSpan{m.Start, m.End, m.Type, m.Score})
	}
	return a, nil
}
