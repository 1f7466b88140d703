package console

// fleet mounts the status of the fleet.
func (c *Console) fleet() {}
