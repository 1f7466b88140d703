package pii

import "github.com/headgate-dev/headgate/core"

// OptionsOf reads what to look for from a stage's block of the configuration.
func OptionsOf(s core.Settings) (Options, error) {
	var c settings
	if s != nil {
		if err := s.Decode(&c); err != nil {
			return Options{}, err
		}
	}
	return c.options(), nil
}

func (c *settings) options() Options {
	return Options{Types: c.Types, Packs: c.Packs, Threshold: c.Threshold, Region: c.Region, Custom: c.Custom, Allow: c.Allow}
}
