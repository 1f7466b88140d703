package console

// users mounts users.
func (c *Console) users() {}
