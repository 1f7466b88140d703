// Package price computes the cost of calls from model prices. Amounts are in units of 1e-10 USD, so that the price of a
// single token is exact.
package price
