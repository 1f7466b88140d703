package store

import "time"

// OutputSchema is a JSON Schema that answers must match.
type OutputSchema struct {
	ID                    string
	ModelPattern, RouteID string // one of them selects the answers
	Schema                string // JSON
	MaxRetries            int
	CorrectionPrompt      string
	Enabled               bool
	Version               int64
	CreatedAt, UpdatedAt  time.Time // set by the store
}

var outputSchemaTable = newTable(table[OutputSchema]{
	name: "output_schema", noun: "output schema", kind: "schema",
	head: func(s *OutputSchema) head { return head{&s.ID, &s.Version, &s.CreatedAt, &s.UpdatedAt} },
	fields: func(s *OutputSchema) []field {
		return []field{
			newFixedField("id", &s.ID),
			{column: "model_pattern", at: &s.ModelPattern},
			{column: "route_id", at: &s.RouteID},
			{column: "schema", at: &s.Schema},
			{column: "max_retries", at: &s.MaxRetries},
			{column: "correction_prompt", at: &s.CorrectionPrompt},
			{column: "enabled", at: &s.Enabled},
			{column: "version", at: &s.Version},
			newFixedField("created_at", newInstantCodec(&s.CreatedAt)),
			{column: "updated_at", at: newInstantCodec(&s.UpdatedAt)},
		}
	},
})

// OutputSchemas returns the output schemas.
func (db *DB) OutputSchemas() Records[OutputSchema] {
	return Records[OutputSchema]{db, outputSchemaTable}
}

// Cursor is the place of the schema in a list.
func (s *OutputSchema) Cursor() Cursor { return Cursor{s.CreatedAt, s.ID} }
