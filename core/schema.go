package core

// SchemaRecord is an output schema that is kept as a record.
type SchemaRecord struct {
	ID                    string
	ModelPattern, RouteID string // one of them says which answers it holds for
	Schema                string // JSON
	MaxRetries            int
	CorrectionPrompt      string // "": the stage's own
}

// SchemaSource is where the schema stage finds output schemas besides those of its link.
type SchemaSource interface {
	// Watch hands the schemas that are enabled to use: at once, and again after each
	// change, until stop is called.
	Watch(use func([]SchemaRecord)) (stop func())
}
