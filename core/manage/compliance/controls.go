package compliance

import (
	_ "embed"
	"encoding/json"
	"fmt"
)

//go:embed controls.json
var controlData []byte

// Control is a requirement and the types of event that are evidence for it.
type Control struct {
	ID, Title string
	Evidence  []string
}

// Controls are those of a type of report, with the source of their texts.
func Controls(kind string) (controls []Control, source string, err error) {
	var data struct {
		Sources  map[string]string
		Controls map[string][]Control
	}
	if err := json.Unmarshal(controlData, &data); err != nil {
		return nil, "", fmt.Errorf("controls: %w", err)
	}
	return data.Controls[kind], data.Sources[kind], nil
}
