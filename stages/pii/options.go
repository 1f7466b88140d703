package pii

import "github.com/headgate-dev/headgate/core"

// ParseOptions reads what to look for from a stage's block of the configuration.
func ParseOptions(s core.Settings) (Options, error) {
	var c settings
	if s != nil {
		if err := s.Decode(&c); err != nil {
			return Options{}, err
		}
	}
	return c.buildOptions(), nil
}

func (c *settings) buildOptions() Options {
	return Options{Types: c.Types, Packs: c.Packs, Threshold: c.Threshold, Region: c.Region, Custom: c.Custom, Allow: c.Allow}
}
