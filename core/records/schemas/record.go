package schemas

// Record is an output schema stored as a record.
type Record struct {
	ID                    string
	ModelPattern, RouteID string // one of them selects the answers
	Schema                string // JSON
	MaxRetries            int
	CorrectionPrompt      string // "" uses the stage's default
}
