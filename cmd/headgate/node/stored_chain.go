package node

import "context"

// refreshChain asks for a reload when the chain has been arranged anew. g.mu is held.
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
