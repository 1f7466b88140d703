package console

// guardrails mounts guardrail plugins.
func (c *Console) guardrails() {}
