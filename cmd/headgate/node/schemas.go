package node

import (
	"slices"
	"sync"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/store"
)

// schemaSource hands the output schemas that are records to the schema stages.
type schemaSource struct {
	mu    sync.Mutex
	list  []core.SchemaRecord
	users map[int]func([]core.SchemaRecord)
	next  int
}

var _ core.SchemaSource = (*schemaSource)(nil)

func newSchemaSource() *schemaSource {
	return &schemaSource{users: map[int]func([]core.SchemaRecord){}}
}

// Watch hands the schemas to use, now and after each change.
func (s *schemaSource) Watch(use func([]core.SchemaRecord)) (stop func()) {
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

func (s *schemaSource) set(list []core.SchemaRecord) {
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

func schemaRecord(s *store.OutputSchema) core.SchemaRecord {
	return core.SchemaRecord{
		ID: s.ID, ModelPattern: s.ModelPattern, RouteID: s.RouteID, Schema: s.Schema, MaxRetries: s.MaxRetries, CorrectionPrompt: s.CorrectionPrompt,
	}
}
