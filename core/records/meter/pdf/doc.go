// Package pdf writes reports as PDF: pages with a header and a numbered footer, headings, paragraphs, labelled values,
// tables that continue over pages, and charts. The same content and time yield the same bytes.
//
// The embedded fonts cover Latin, Greek and Cyrillic. Letters of other scripts appear as boxes, so print an id beside
// every name that a reader must be able to tell apart.
//
// It may import the standard library and fpdf, and nothing of Headgate.
package pdf
