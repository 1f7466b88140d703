// Package policy is the stage that enforces policies: rules of tenants and of the platform, in the language of package
// dsl. It evaluates each rule as soon as its inputs are known. Policies in shadow mode are evaluated in the background.
package policy
