package console

// budgets mounts budgets.
func (c *Console) budgets() {}
