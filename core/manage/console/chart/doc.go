// Package chart draws charts as SVG on the server. Colours and sizes come from classes of the console's style sheet, so that
// charts work under a strict content security policy. Each chart has a table with the same figures. Values that are not
// finite are gaps.
package chart
