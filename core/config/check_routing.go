package config

// checkRouting checks settings that concern all routes.
func (c *checker) checkRouting() {
	r := c.cfg.Routing
	if r.Breaker.MaxOpen < r.Breaker.OpenFor {
		c.addProblem("routing.breaker.max_open", "is shorter than open_for, "+r.Breaker.OpenFor.String(), "write the longer one, or omit it")
	}
	if r.Retry.Max < r.Retry.Base {
		c.addProblem("routing.retry.max", "is shorter than base, "+r.Retry.Base.String(), "write the longer one, or omit it")
	}
	p := r.Priority
	if p.ThresholdPercent.Premium < p.ThresholdPercent.Standard || p.ThresholdPercent.Standard < p.ThresholdPercent.Bulk {
		c.addWarning(
			"routing.priority.threshold_percent",
			"admits a lower tier at a higher load than a higher tier",
			"write premium, standard and bulk from high to low",
		)
	}
	if p.Wait > 0 && p.MaxConcurrent == 0 {
		c.addWarning("routing.priority.wait", "has no effect without max_concurrent", "write max_concurrent: 200")
	}
}

// checkRegions warns where a region could be mistaken for a strict boundary.
func (c *checker) checkRegions(path string, r Route) {
	bound := 0
	for _, t := range r.Providers {
		if t.Region != "" {
			bound++
		}
	}
	if bound > 0 && bound < len(r.Providers) {
		c.addWarning(
			path+".providers",
			"some targets have a region and some have none: those without one serve every tenant",
			"write a region on each",
		)
	}
	if bound == 0 && r.OtherRegions {
		c.addWarning(path+".other_regions", "has no effect: no target has a region", "remove it")
	}
}
