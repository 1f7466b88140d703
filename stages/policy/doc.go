// Package policy is the stage that enforces policies: rules of tenants and of
// the platform, in the language of package dsl. It asks each rule as soon as its
// inputs are known, and evaluates policies in shadow off the request's way.
package policy
