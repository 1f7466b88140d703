package node

import "context"

// refreshChain requests a reload if the layout of the chain has changed. The caller holds g.mu.
func (g *gateway) refreshChain(ctx context.Context) error {
	kept, err := g.rec.DB.ChainLayouts().Get(ctx)
	if err != nil {
		return err
	}
	if kept.Version != g.layout {
		g.note("the layout of the chain changed")
	}
	return nil
}
