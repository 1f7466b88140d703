// Package schemas defines output schemas that are stored as records rather than in a link's settings.
package schemas
