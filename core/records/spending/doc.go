// Package spending holds budgets: how much may be spent in a period, which exchanges a
// budget holds for, and the notices that spending gives rise to.
package spending
