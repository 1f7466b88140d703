package node

import (
	"slices"
	"sync"

	"github.com/headgate-dev/headgate/core/records/schemas"
	"github.com/headgate-dev/headgate/core/records/store"
	"github.com/headgate-dev/headgate/stages/schema"
)

// schemaSource provides the schema stages with the output schemas stored as records.
type schemaSource struct {
	mu    sync.Mutex
	list  []schemas.Record
	users map[int]func([]schemas.Record)
	next  int
}

var _ schema.Source = (*schemaSource)(nil)

func newSchemaSource() *schemaSource {
	return &schemaSource{users: map[int]func([]schemas.Record){}}
}

// Watch calls back with the schemas now and after each change.
func (s *schemaSource) Watch(use func([]schemas.Record)) (stop func()) {
	s.mu.Lock()
	defer s.mu.Unlock()
	use(s.list)
	id := s.next
	s.next++
	s.users[id] = use
	return func() {
		s.mu.Lock()
		defer s.mu.Unlock()
		delete(s.users, id)
	}
}

func (s *schemaSource) set(list []schemas.Record) {
	s.mu.Lock()
	defer s.mu.Unlock()
	if slices.Equal(s.list, list) {
		return
	}
	s.list = list
	for _, use := range s.users {
		use(list)
	}
}

func convertSchema(s *store.OutputSchema) schemas.Record {
	return schemas.Record{
		ID:               s.ID,
		ModelPattern:     s.ModelPattern,
		RouteID:          s.RouteID,
		Schema:           s.Schema,
		MaxRetries:       s.MaxRetries,
		CorrectionPrompt: s.CorrectionPrompt,
	}
}
