// Package fleet is what a control plane and its nodes say to each other: the configuration that nodes take, and the
// records that they hand over. What travels is sealed with the secret that both have. docs/fleet.md tells the whole.
//
// It may import core, core/records/store and what is below them.
package fleet
