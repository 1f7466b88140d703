package console

// approvals mounts the queue of approvals.
func (c *Console) approvals() {}
