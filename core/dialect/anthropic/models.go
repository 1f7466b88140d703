package anthropic

import (
	"time"
)

// Model is one entry of the list of models.
type Model struct {
	ID          string
	DisplayName string    // "": the ID
	Created     time.Time // zero: not known
}

// AppendModels appends the list of models as a single page.
func AppendModels(dst []byte, list []Model) []byte {
	w := writer{b: append(dst, `{"data":[`...)}
	for i, m := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		if m.DisplayName == "" {
			m.DisplayName = m.ID
		}
		if m.Created.IsZero() { // the shape asks for the epoch then
			m.Created = time.Unix(0, 0)
		}
		w.b = append(w.b, `{"type":"model","id":`...)
		w.appendString(m.ID)
		w.b = append(w.b, `,"display_name":`...)
		w.appendString(m.DisplayName)
		w.b = append(w.b, `,"created_at":"`...)
		w.b = m.Created.UTC().AppendFormat(w.b, time.RFC3339)
		w.b = append(w.b, `"}`...)
	}
	w.b = append(w.b, `],"has_more":false,"first_id":`...)
	if len(list) == 0 {
		return append(w.b, `null,"last_id":null}`...)
	}
	w.appendString(list[0].ID)
	w.b = append(w.b, `,"last_id":`...)
	w.appendString(list[len(list)-1].ID)
	return append(w.b, '}')
}
