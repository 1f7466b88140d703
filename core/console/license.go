package console

// license mounts the licence and the monthly usage.
func (c *Console) license() {}
