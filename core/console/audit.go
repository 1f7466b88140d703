package console

// audit mounts the audit chain.
func (c *Console) audit() {}
