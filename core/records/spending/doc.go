// Package spending implements budgets: the limits per period, the exchanges that a budget applies to, and the notices
// that spending triggers.
package spending
