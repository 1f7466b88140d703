// Package conflict finds what is at odds between policies that are active
// together, without a solver: every named condition is a set over one input
// (texts as patterns, numbers as intervals, times as minutes of a week), so that
// two rules overlap when all inputs do, and one covers another when all inputs
// do. Where an expression has a say, the answer is "may", and is told as
// information. What overlaps is shown by a request.
package conflict
