package schemas

// Record is an output schema that is kept as a record.
type Record struct {
	ID                    string
	ModelPattern, RouteID string // one of them says which answers it holds for
	Schema                string // JSON
	MaxRetries            int
	CorrectionPrompt      string // "": the stage's own
}
