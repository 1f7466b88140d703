package stages

import (
	"github.com/headgate-dev/headgate/stages/guardrail"
	"github.com/headgate-dev/headgate/stages/pii"
)

// Form describes the settings of a stage that can be added to a chain without the configuration file.
type Form struct {
	ID    string
	Stage string
	// Detector is the type of the one detector that the settings describe; "" if they are those of the whole stage.
	Detector string
	Schema   map[string]any // a JSON Schema
}

// ListForms lists the stages that can be added: personal data, and the guardrail with one detector of each type.
func ListForms() []Form {
	out := []Form{{ID: pii.Name, Stage: pii.Name, Schema: pii.BuildSchema()}}
	for _, kind := range guardrail.ListSchemaKinds() {
		out = append(out, Form{ID: kind, Stage: guardrail.Name, Detector: kind, Schema: guardrail.BuildSchema(kind)})
	}
	return out
}
