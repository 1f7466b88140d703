package compliance

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed controls.json
var controlData []byte

// Control is a requirement with the event types that are evidence for it.
type Control struct {
	ID, Title string
	Evidence  []string
}

// ListControls returns the controls of a type of report and the source of their texts.
func ListControls(kind string) (controls []Control, source string, err error) {
	var data struct {
		Sources  map[string]string
		Controls map[string][]Control
	}
	if err := json.Unmarshal(controlData, &data); err != nil {
		return nil, "", fmt.Errorf("controls: %w", err)
	}
	return data.Controls[kind], data.Sources[kind], nil
}
