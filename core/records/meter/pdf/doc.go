// Package pdf writes reports as PDF: pages with a head and a numbered foot, headings, paragraphs, pairs of label and
// value, tables that go on over pages, and charts. The same content and the same time give the same bytes.
//
// Its letters are those of the fonts that lie beside it: Latin, Greek and Cyrillic. Other scripts are drawn as boxes,
// so what a reader must be able to tell apart should have an id beside it.
//
// It may import the standard library and fpdf, and nothing of Headgate.
package pdf
