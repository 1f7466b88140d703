package console

// compliance mounts compliance reports.
func (c *Console) compliance() {}
