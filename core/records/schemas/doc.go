// Package schemas holds output schemas that are records rather than settings of a link.
package schemas
