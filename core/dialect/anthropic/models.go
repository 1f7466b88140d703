package anthropic

import (
	"cmp"
	"strconv"
	"time"
)

// Model is one entry of the list of models.
type Model struct {
	ID          string
	DisplayName string    // the default is the ID
	Created     time.Time // zero: not known
	InputLimit  int64     // tokens; 0: not known
}

// AppendModels appends the list of models as a single page.
func AppendModels(dst []byte, list []Model) []byte {
	w := writer{b: append(dst, `{"data":[`...)}
	for i := range list {
		if i > 0 {
			w.b = append(w.b, ',')
		}
		w.b = AppendModel(w.b, &list[i])
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

// AppendModel appends one model.
func AppendModel(dst []byte, m *Model) []byte {
	created := m.Created
	if created.IsZero() { // the shape asks for the epoch then
		created = time.Unix(0, 0)
	}
	w := writer{b: append(dst, `{"type":"model","id":`...)}
	w.appendString(m.ID)
	w.b = append(w.b, `,"display_name":`...)
	w.appendString(cmp.Or(m.DisplayName, m.ID))
	w.b = append(w.b, `,"created_at":"`...)
	w.b = append(created.UTC().AppendFormat(w.b, time.RFC3339), '"')
	if m.InputLimit > 0 {
		w.b = strconv.AppendInt(append(w.b, `,"max_input_tokens":`...), m.InputLimit, 10)
	}
	return append(w.b, '}')
}
