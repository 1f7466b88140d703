package console

// latency mounts latency and priority.
func (c *Console) latency() {}
