package config

import (
	"slices"
	"strings"
)

// Policy is a policy kept in this file. It cannot be changed through the
// administrative API.
type Policy struct {
	// ID names the policy for good.
	ID string `yaml:"id" required:"true" eg:"cap-cost"`
	// Name is the policy as people read it. The id unless written.
	Name string `yaml:"name" eg:"Cap the cost"`
	// Description says what it is for.
	Description string `yaml:"description"`
	// Status says whether the policy is enforced. A shadow is evaluated, and changes nothing.
	Status PolicyStatus `yaml:"status" default:"active"`
	// Tenant is the id of the tenant whose requests it is about. Every tenant's unless written.
	Tenant string `yaml:"tenant" eg:"default"`
	// File holds the text of the policy.
	File string `yaml:"file" eg:"policies/cap-cost.yaml"`
	// DSL is the text itself, in the place of a file.
	DSL string `yaml:"dsl"`
}

// PolicyStatus says what becomes of a policy; "" is not set.
type PolicyStatus string

// The states of a policy in the file.
const (
	PolicyActive PolicyStatus = "active"
	PolicyShadow PolicyStatus = "shadow"
	PolicyDraft  PolicyStatus = "draft"
)

var _ choices = PolicyStatus("")

// Values lists the words that may be written.
func (PolicyStatus) Values() []string { return []string{"active", "shadow", "draft"} }

// policies checks what can be checked without the language: package config does
// not know it.
func (c *checker) policies() {
	seen := map[string]string{}
	for i, p := range c.cfg.Policies {
		path := at("policies", i)
		if p.ID != "" {
			c.id(path+".id", p.ID)
			c.checkUnique(seen, p.ID, path+".id", "the policy's id", "write another id: on one of them")
		}
		switch {
		case p.File == "" && strings.TrimSpace(p.DSL) == "":
			c.addProblem(path, "has no text", "write file: policies/name.yaml, or dsl: |")
		case p.File != "" && p.DSL != "":
			c.addProblem(path, "has both file and dsl", "keep one of them")
		}
	}
	if len(c.cfg.Policies) == 0 || len(c.known.Stages) > 0 && !slices.Contains(c.known.Stages, "policy") {
		return
	}
	for _, l := range c.cfg.Chain {
		if l.Stage == "policy" {
			return
		}
	}
	c.addWarning("policies", "are enforced by no link of the chain", "write - stage: policy under chain")
}
