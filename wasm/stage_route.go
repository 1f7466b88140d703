package wasm

import (
	"hash/fnv"
	"strconv"

	"github.com/headgate-dev/headgate/core"
	"github.com/headgate-dev/headgate/plugins/foreign"
	"github.com/headgate-dev/headgate/wasm/abi"
)

// alternative is one of the targets that a stage routes to.
type alternative struct {
	model, region string
	weight        uint32
}

func handleRoute(c *talk, i *instance, stack []uint64) {
	model, region, weight := readBytes(i, stack[0], stack[1]), readBytes(i, stack[2], stack[3]), uint32(stack[4])
	c.requirePatch(i)
	switch {
	case len(model) > abi.MaxModel || !isPlainText(model):
		endWithBreach("the name of a model is empty, too long, or no plain text")
	case len(model) == 0 && len(region) == 0 || weight == 0 || weight > abi.MaxWeight:
		endWithBreach("an alternative names neither a model nor a region, or its weight is 0 or too high")
	case len(region) > abi.MaxKeyLen || !isPlainText(region) || len(region) > 0 && !c.s.wants(abi.PhaseTarget):
		endWithBreach("it asks for a region that is not plain text, or its manifest does not name the phase target, in which the host checks it")
	case len(c.more.routes) == abi.MaxRoutes:
		endWithBreach("it names more alternatives than it may")
	}
	c.more.routes = append(c.more.routes, alternative{string(model), string(region), weight})
}

// routes reports whether the module imports route.
func (v *Version) routes() bool { return v.Imports(abi.ImportRoute) }

// Imports reports whether the module imports a function of the host.
func (v *Version) Imports(function string) bool {
	for _, f := range v.compiled.ImportedFunctions() {
		if module, name, _ := f.Import(); module == abi.HostModule && name == function {
			return true
		}
	}
	return false
}

// applyAlternative applies the alternative that the exchange draws. The draw depends on the exchange alone, so that a
// repeated call draws the same.
func (c *talk) applyAlternative() {
	routes := c.more.routes
	if len(routes) == 0 {
		return
	}
	total := uint64(0)
	for k := range routes {
		total += uint64(routes[k].weight)
	}
	h := fnv.New64a()
	_, _ = h.Write([]byte(c.x.ID)) // a hash accepts any write
	draw, at := mixBits(h.Sum64())%total, 0
	for draw >= uint64(routes[at].weight) {
		draw -= uint64(routes[at].weight)
		at++
	}
	if routes[at].model != "" {
		c.patch.Model = foreign.FindPatchedModel(c.x, routes[at].model)
	}
	if routes[at].region != "" {
		c.ensureState().region = routes[at].region
	}
}

// mixBits spreads the bits of a sum: those of similar ids differ in few.
func mixBits(n uint64) uint64 {
	n ^= n >> 33
	n *= 0xff51afd7ed558ccd
	n ^= n >> 33
	n *= 0xc4ceb9fe1a85ec53
	return n ^ n>>33
}

// checkRegion returns the refusal of a target that lies outside the region that the stage has asked for, or nil.
func (s *FullStage) checkRegion(x *core.Exchange, k *exchangeState) *core.Error {
	if k == nil || k.region == "" || x.Target.Region == k.region {
		return nil
	}
	return &core.Error{
		Kind: core.Forbidden, Code: core.CodePolicyDenied,
		Public: "the guard " + strconv.Quote(s.link) + " sends this request to the region " + k.region + ", where no target serves the model",
	}
}
