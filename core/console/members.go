package console

// members mounts the members of a workspace.
func (c *Console) members() {}
