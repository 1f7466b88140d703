package spending

// Refusal is the cause of refusing an exchange: a budget without room for it.
type Refusal struct{ Budget string } // its id

// Error names the budget.
func (r Refusal) Error() string { return "budget " + r.Budget }
