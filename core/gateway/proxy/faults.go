package proxy

import "github.com/headgate-dev/headgate/core/records/audit"

// addFaults adds the links that failed, with phase and fault, including those that the exchange passed over.
func (c *call) addFaults(p *audit.Payload) {
	inner, list := &c.inner, append(c.list[:0], '[')
	for i := range c.x.Visits {
		v := &c.x.Visits[i]
		if v.Fault == 0 {
			continue
		}
		if len(list) > 1 {
			list = append(list, ',')
		}
		inner.Reset()
		inner.Str("link", v.Link)
		inner.Str("phase", v.Phase.String())
		inner.Str("fault", v.Fault.String())
		if v.Shadow {
			inner.Bool("shadow", true)
		}
		list = append(list, inner.Bytes()...)
	}
	c.list = append(list, ']')
	if len(list) > 1 {
		p.Raw("faults", c.list)
	}
}
