// Package chart draws charts as SVG on the server. What it writes takes its colours and sizes from the classes of the
// console's style sheet, carries no style of its own, runs no script, and has the same figures as a table beside it. Values
// that are no finite numbers are gaps.
package chart
