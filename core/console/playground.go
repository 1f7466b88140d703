package console

// playground mounts the playground.
func (c *Console) playground() {}
