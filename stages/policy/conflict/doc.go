// Package conflict finds conflicts between policies that are active together, without a solver. Every named condition
// is a set over one input (texts as patterns, numbers as intervals, times as minutes of a week), so two rules overlap
// if all inputs do, and one covers another if all inputs do. If an expression is involved, the answer is "may", and the
// issue is informational. Overlaps are shown with an example request.
package conflict
