package core

// Approvals is where the policy stage finds what a second person has consented to, and asks for consent.
type Approvals interface {
	// Approved reports whether a rule, by its label, may be passed by a line of keys of a tenant for a model.
	Approved(tenant, lineage, rule, model string) bool
	// Ask notes that consent is asked for. It does not wait, and what is asked for already is not asked again.
	Ask(tenant, lineage, rule, model string)
}
