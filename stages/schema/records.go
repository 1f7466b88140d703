package schema

import (
	"context"
	"encoding/json"
	"fmt"
	"strings"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/core/records/schemas"
)

// records are the schemas in force that are stored as records.
type records struct {
	all  []*compiled
	from map[schemas.Record]*compiled
}

// watch follows the schemas of a source. Unchanged ones are not compiled again. Each was checked when it was stored, so
// an invalid one is from another version of the program, and is omitted.
func (s *Stage) watch(source Source) {
	if source == nil {
		return
	}
	s.stop = source.Watch(func(list []schemas.Record) {
		next := &records{from: make(map[schemas.Record]*compiled, len(list))}
		old := s.records.Load()
		for _, r := range list {
			var c *compiled
			if old != nil {
				c = old.from[r]
			}
			if c == nil {
				var err error
				if c, err = compileRecord(r); err != nil {
					continue
				}
			}
			next.from[r] = c
			next.all = append(next.all, c)
		}
		s.records.Store(next)
	})
}

// Close ends the watch.
func (s *Stage) Close(context.Context) error {
	if s.stop != nil {
		s.stop()
	}
	return nil
}

// IsIdle reports whether there is no schema.
func (s *Stage) IsIdle() bool {
	r := s.records.Load()
	return len(s.schemas) == 0 && (r == nil || len(r.all) == 0)
}

// Applies reports whether there is any schema. Without one, answers are not checked.
func (s *Stage) Applies(*core.Exchange) bool { return !s.IsIdle() }

// Check returns what is wrong with a record. For an invalid schema, the error names the position in it.
func Check(r schemas.Record) error {
	_, err := compileRecord(r)
	if err == nil {
		return nil
	}
	return fmt.Errorf("%s", strings.ReplaceAll(strings.ReplaceAll(err.Error(), place, ""), "\n", "; "))
}

func compileRecord(r schemas.Record) (*compiled, error) {
	c := Config{ModelPattern: r.ModelPattern, RouteID: r.RouteID, MaxRetries: r.MaxRetries, CorrectionPrompt: r.CorrectionPrompt}
	if err := json.Unmarshal([]byte(r.Schema), &c.Schema); err != nil {
		return nil, fmt.Errorf("schema: not a JSON object: %w", err)
	}
	return compileSchema(c)
}

// Source provides output schemas in addition to those of the link.
type Source interface {
	// Watch passes the enabled schemas to use: at once, and again after each change, until stop is called.
	Watch(use func([]schemas.Record)) (stop func())
}
