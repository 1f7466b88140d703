package config

import "strings"

// Policy is a policy defined in this file. The administrative API cannot change it.
type Policy struct {
	// ID identifies the policy permanently.
	ID string `yaml:"id" required:"true" eg:"cap-cost"`
	// Name is the display name. Default: the id.
	Name string `yaml:"name" eg:"Cap the cost"`
	// Description says what the policy is for.
	Description string `yaml:"description"`
	// Status is whether the policy is enforced. A shadow policy is evaluated and changes nothing.
	Status PolicyStatus `yaml:"status" default:"active"`
	// Tenant limits the policy to the requests of a tenant, by id. Default: all tenants.
	Tenant string `yaml:"tenant" eg:"default"`
	// File is the file of the policy's text.
	File string `yaml:"file" eg:"policies/cap-cost.yaml"`
	// DSL is the policy's text, instead of file.
	DSL string `yaml:"dsl"`
}

// PolicyStatus is the state of a policy; "" is not set.
type PolicyStatus string

// The states of a policy in the file.
const (
	PolicyActive PolicyStatus = "active"
	PolicyShadow PolicyStatus = "shadow"
	PolicyDraft  PolicyStatus = "draft"
)

var _ choices = PolicyStatus("")

// Values lists the accepted words.
func (PolicyStatus) Values() []string { return []string{"active", "shadow", "draft"} }

// checkPolicies checks what does not need the policy language, which package config does not know.
func (c *checker) checkPolicies() {
	seen := map[string]string{}
	for i, p := range c.cfg.Policies {
		path := appendIndex("policies", i)
		if p.ID != "" {
			c.checkID(path+".id", p.ID)
			c.checkUnique(seen, p.ID, path+".id", "the policy's id", "write another id: on one of them")
		}
		switch {
		case p.File == "" && strings.TrimSpace(p.DSL) == "":
			c.addProblem(path, "has no text", "write file: policies/name.yaml, or dsl: |")
		case p.File != "" && p.DSL != "":
			c.addProblem(path, "has both file and dsl", "keep one of them")
		}
	}
}
