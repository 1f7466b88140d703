package console

// overview mounts the first page.
func (c *Console) overview() {
	c.get("/", "", func(r *request) error { return r.show("overview", "Overview", nil) })
}
