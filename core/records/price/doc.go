// Package price computes what calls cost from what models cost. Money is in units of 1e-10
// USD, so that the price of a single token is exact.
package price
