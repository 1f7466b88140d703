// Package settingstest gives stages in tests the settings of their block of the configuration.
package settingstest

import (
	"strings"

	"go.yaml.in/yaml/v3"

	"github.com/headgate-dev/headgate/core"
)

// YAML is a stage's block of a configuration. It refuses keys that the stage does not have.
type YAML string

var _ core.Settings = YAML("")

// Decode reads the block into a stage's settings.
func (y YAML) Decode(into any) error {
	d := yaml.NewDecoder(strings.NewReader(string(y)))
	d.KnownFields(true)
	return d.Decode(into)
}
