package console

// routesPages mounts routes.
func (c *Console) routesPages() {}
